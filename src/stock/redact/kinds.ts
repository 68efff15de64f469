/**
 * What comes along to look for, by kind. Neighbours: `pattern.ts` reads the patterns, `checks.ts` looks closer, the
 * docs list the names. Knows no text.
 *
 * Keys that begin with a word of their own need no more than that and a length: they are found wherever they stand,
 * also behind the letter of an escape. Each ends in a loop that takes what is left, so a key that is longer than its
 * vendor's today is hidden whole, and needs fewer characters than a whole one has, so that one that was cut off is
 * hidden too. What could be a word of a sentence asks for what stands around it.
 *
 * Lengths stand in `min` and not in the patterns, and keys that are made of the same characters are one pattern:
 * counting in an automaton takes a state for each number, each pattern is there or not, and a text that was written
 * to do so could ask for the product of all.
 */
import { RE2JS } from 're2js'
import { hasBase64, isCard, isEmail, isMixed, isRandom } from './checks.ts'
import type { PatternSpec } from './pattern.ts'

/** Groups of kinds, as the option `find` names them. */
export type FindGroup = 'secrets' | 'emails' | 'cards' | 'phones' | 'assigned'

/** Not in the middle of a word, but behind the escape of a line's end in JSON within JSON. */
const APART = '(?:^|[^A-Za-z0-9]|\\\\[nrt])'
/** `: "`, ` = `, `=`, … */
const IS = '["\']?\\s*(?::|=>?)\\s*\\\\?["\']?'

/** Letters and digits, with dashes and underscores, behind a word of their own. */
const DASHED: readonly (readonly [string, string])[] = [
  ['sk-ant-', 'anthropic-key'],
  ['sk-proj-', 'openai-key'],
  ['sk-svcacct-', 'openai-key'],
  ['sk-admin-', 'openai-key'],
  ['sk-or-v1-', 'openrouter-key'],
  ['AIza', 'google-key'],
  ['ya29.', 'google-key'],
  ['GOCSPX-', 'google-key'],
  ['github_pat_', 'github-token'],
  ['glpat-', 'gitlab-token'],
  ['gldt-', 'gitlab-token'],
  ['glrt-', 'gitlab-token'],
  ['glptt-', 'gitlab-token'],
  ['glsoat-', 'gitlab-token'],
  ['glagent-', 'gitlab-token'],
  ['glcbt-', 'gitlab-token'],
  ['glft-', 'gitlab-token'],
  ['glffct-', 'gitlab-token'],
  ['xoxa-', 'slack-token'],
  ['xoxb-', 'slack-token'],
  ['xoxe-', 'slack-token'],
  ['xoxe.', 'slack-token'],
  ['xoxo-', 'slack-token'],
  ['xoxp-', 'slack-token'],
  ['xoxr-', 'slack-token'],
  ['xoxs-', 'slack-token'],
  ['xapp-', 'slack-token'],
  ['pypi-AgE', 'pypi-token'],
  ['hvs.', 'vault-token'],
  ['hvb.', 'vault-token'],
  ['dckr_pat_', 'docker-token'],
  ['glsa_', 'grafana-token'],
  ['slc_', 'sluice-key'],
]

/** Letters and digits only: in these an underscore or a dash would be the name of a variable. */
const PLAIN: readonly (readonly [string, string])[] = [
  ['ghp_', 'github-token'],
  ['gho_', 'github-token'],
  ['ghu_', 'github-token'],
  ['ghs_', 'github-token'],
  ['ghr_', 'github-token'],
  ['AKIA', 'aws-key'],
  ['ASIA', 'aws-key'],
  ['sk_live_', 'stripe-key'],
  ['sk_test_', 'stripe-key'],
  ['rk_live_', 'stripe-key'],
  ['rk_test_', 'stripe-key'],
  ['whsec_', 'stripe-key'],
  ['npm_', 'npm-token'],
  ['hf_', 'huggingface-token'],
  ['gsk_', 'groq-key'],
  ['xai-', 'xai-key'],
  ['doo_v1_', 'digitalocean-token'],
  ['dop_v1_', 'digitalocean-token'],
  ['dor_v1_', 'digitalocean-token'],
  ['shpat_', 'shopify-token'],
  ['shpca_', 'shopify-token'],
  ['shppa_', 'shopify-token'],
  ['shpss_', 'shopify-token'],
  ['lin_api_', 'linear-key'],
  ['AGE-SECRET-KEY-', 'age-key'],
]

const anyOf = (words: readonly (readonly [string, string])[]): string =>
  `(?:${words.map(([word]) => RE2JS.quote(word)).join('|')})`

const SECRETS: readonly PatternSpec[] = [
  { kind: 'token', kinds: DASHED, pattern: `${anyOf(DASHED)}[A-Za-z0-9_-]+`, min: 20 },
  { kind: 'token', kinds: PLAIN, pattern: `${anyOf(PLAIN)}[A-Za-z0-9]+`, min: 20 },
  {
    kind: 'openai-key',
    kinds: [['SK', 'twilio-key']],
    pattern: `${APART}(?P<secret>(?:sk-|SK)[A-Za-z0-9]+)`,
    min: 23,
    check: isMixed,
  },
  {
    kind: 'aws-secret',
    pattern: `(?i:secret_?access_?key|aws_?secret_?key)${IS}(?P<secret>[A-Za-z0-9/+]+)`,
    min: 40,
  },
  {
    kind: 'azure-key',
    pattern: '(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/]+={0,2})',
    min: 32,
  },
  {
    kind: 'slack-webhook',
    pattern: 'hooks\\.slack\\.com/(?:services|workflows)/(?P<secret>[A-Za-z0-9/]+)',
    min: 20,
  },
  { kind: 'sendgrid-key', pattern: 'SG\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+', min: 40 },
  { kind: 'databricks-token', pattern: 'dapi[a-f0-9]+', min: 36 },
  { kind: 'telegram-token', pattern: `${APART}(?P<secret>[0-9]+:AA[A-Za-z0-9_-]+)`, min: 41 },
  {
    // Two or more parts of base64, of which the first is `{"…`.
    kind: 'jwt',
    pattern: 'eyJ[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]*)*',
    min: 30,
    max: 1024,
  },
  {
    // Once some of it is there it is hidden as it comes, up to its end or to what is no base64. Quotes and dashes, since
    // it may stand in a program, a string for each line, and may have headers of its own.
    kind: 'private-key',
    pattern:
      '-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----' +
      '(?:-?[A-Za-z0-9+/=\\s:,.()"\'\\\\])+' +
      '(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)?',
    check: hasBase64,
  },
  {
    kind: 'bearer-token',
    pattern: `${APART}(?i:bearer)(?:\\s|%20)+(?P<secret>[A-Za-z0-9._~+/=-]+)`,
    min: 16,
    check: isMixed,
  },
  {
    kind: 'basic-credentials',
    pattern: `(?i:authorization)${IS}(?i:basic)\\s+(?P<secret>[A-Za-z0-9+/]+={0,2})`,
    min: 8,
  },
  {
    // What stands between the user's name and the host of an address.
    kind: 'password',
    pattern: '[A-Za-z]://[^\\s:/?#@"\'<>`]*:(?P<secret>[^\\s/?#@"\'<>`]+)@',
    isWide: true,
  },
]

const GROUPS: Readonly<Record<FindGroup, readonly PatternSpec[]>> = {
  secrets: SECRETS,
  emails: [
    {
      kind: 'email',
      // With the backslashes before it: what is left of an escape would break JSON within JSON.
      pattern:
        '(?:^|[^\\pL\\pN._%+-])(?P<secret>\\\\{0,4}[\\pL\\pN_%+-][\\pL\\pN._%+-]*@(?:[\\pL\\pN-]+\\.)+\\pL{2,})',
      check: isEmail,
    },
  ],
  cards: [
    {
      kind: 'card',
      pattern:
        '(?:^|[^\\w.-])(?P<secret>\\d{13,19}|\\d{4}(?:[ .-]\\d{4}){3}(?:[ .-]\\d{3})?|\\d{4}[ .-]\\d{6}[ .-]\\d{4,5})\\b',
      check: isCard,
    },
  ],
  phones: [
    {
      kind: 'phone',
      pattern: '(?:^|[^\\w+.-])(?P<secret>\\+[1-9](?:[ .()/-]{0,2}\\d){7,14})\\b',
    },
    {
      kind: 'phone',
      pattern:
        '(?:^|[^\\w+.-])(?P<secret>(?:1[ .-])?(?:\\([2-9]\\d\\d\\) ?|[2-9]\\d\\d[ .-])[2-9]\\d\\d[ .-]\\d{4})\\b',
    },
    {
      kind: 'phone',
      pattern:
        '(?:^|[^\\w.:+/-])(?P<secret>0\\d{2,4}[ /-]\\d{3,4}[ -]?\\d{3,5}|0[1-9](?: \\d\\d){4})\\b',
    },
  ],
  assigned: [
    {
      // A name that says it is secret, and something that looks random.
      kind: 'secret',
      pattern:
        '(?i:secret|token|passw(?:or)?d|passphrase|pwd|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)' +
        `[A-Za-z0-9_]*${IS}(?P<secret>[^\\s"'\`,;<>()\\\\{}$]+)`,
      min: 8,
      check: isRandom,
      isWide: true,
    },
  ],
}

export const FIND_GROUPS = Object.keys(GROUPS) as readonly FindGroup[]

export const DEFAULT_GROUPS: readonly FindGroup[] = ['secrets', 'emails', 'cards']

export const specsOf = (groups: readonly FindGroup[]): readonly PatternSpec[] =>
  FIND_GROUPS.filter((group) => groups.includes(group)).flatMap((group) => GROUPS[group])
