/**
 * What people write to make a model do something else, by words and by markup. Neighbours: `scan-text.ts` has the text
 * looked over by these. Each phrase begins with a word of `begin`; only there it is tried, and no further than some
 * hundred characters, so that the time stays in proportion to the text.
 */
import type { Finding, Kind } from './finding.ts'

interface Phrase {
  readonly kind: Kind
  readonly name: string
  readonly score: number
  /** Words that it begins with, as the source of a pattern without captures. */
  readonly begin: string
  /** What follows. Every gap is bounded. */
  readonly rest: string
}

/** Within a sentence, and not across code. */
const NEAR = '[^.!?;{}=]{0,40}?\\b'
const OTHERS =
  '(?:previous|prior|above|earlier|preceding|existing|original|initial|all|any|your|other|system|these|those|former|every|everything)\\b'
const ORDERS =
  '(?:instructions?|prompts?|rules|guidelines|directives|directions|commands|orders|polic(?:y|ies)|constraints|restrictions|safeguards|safety|training|programming|guardrails)\\b'
const MODEL =
  '(?:an? |the |all |any |every )?(?:ai|a\\.i\\.|llms?|assistants?|agents?|language models?|large language models?|chatbots?|claude|chatgpt|gpt|copilot|codex|gemini)\\b'
const USER = '(?:user|human|operator|person|owner|customer|developer)s?\\b'
const PRIVATE =
  '(?:api[ _-]?keys?|secrets?|credentials?|passwords?|tokens?|environment variables|env\\b|ssh keys?|private keys?|conversation|chat history|system prompt|cookies|contents? of|source code)'

const PHRASES: readonly Phrase[] = [
  {
    kind: 'override',
    name: 'ignore instructions',
    score: 3,
    begin: '\\b(?:ignor(?:e|ing)|disregard|forget|overrid(?:e|ing)|bypass|discard)\\b',
    rest: `${NEAR}${OTHERS}${NEAR}${ORDERS}`,
  },
  {
    kind: 'override',
    name: 'do not follow',
    score: 3,
    begin: "\\b(?:do not|don'?t|stop|never)\\W{1,3}(?:follow|obey|comply)",
    rest: `${NEAR}(?:previous|prior|your|system|user|other|original)\\b${NEAR}${ORDERS}`,
  },
  {
    kind: 'override',
    name: 'new instructions',
    score: 2,
    begin:
      '\\b(?:new|updated|real|actual|true|revised)\\W{1,3}(?:system )?(?:instructions?|prompt|directives?|orders)\\b',
    rest: '\\W{0,3}(?::|are\\b|follow\\b|supersede|override|take precedence)',
  },
  {
    kind: 'override',
    name: 'other languages',
    score: 3,
    begin:
      '(?:\\b(?:ignoriere?|vergiss|missachte|ignora|olvida|ignorez|oubliez)\\b|игнорируи|забудь|忽略|无视|忘记)',
    rest: '.{0,30}?(?:anweisung|vorgabe|instruc|istruzion|consigne|инструкц|указани|指令|指示|提示|规则)',
  },
  {
    kind: 'override',
    name: 'other languages',
    score: 3,
    begin: '(?:指示|命令|指令|ルール)',
    rest: '.{0,10}?(?:無視|忘れ)',
  },
  {
    kind: 'role',
    name: 'new role',
    score: 2,
    begin: "\\byou(?: are|'re) (?:now|no longer|hereby)\\b",
    rest: '\\W{1,3}(?:an?\\b|the\\b|acting|operating|dan\\b|unrestricted|jailbroken|authorized|bound|in (?:developer|debug|admin|god|maintenance|unrestricted|jailbreak) mode)',
  },
  {
    kind: 'role',
    name: 'act as',
    score: 3,
    begin: '\\b(?:act|behave|respond|pretend|roleplay)\\b',
    rest: '\\W{1,3}(?:as|to be|you are)\\b[^.!?]{0,30}?\\b(?:the system|administrator|root user|unrestricted|dan|jailbroken|without (?:any )?(?:restrictions|limits|rules|filters))\\b',
  },
  {
    kind: 'role',
    name: 'mode',
    score: 3,
    begin: '\\b(?:enable|enter|activate|switch to|engage)\\b',
    rest: '[^.!?]{0,12}?\\b(?:god|jailbreak|dan|unrestricted|unfiltered|no.restrictions?) mode\\b',
  },
  {
    kind: 'role',
    name: 'voice of the system',
    score: 2,
    begin:
      '\\b(?:system (?:override|prompt|message|notice|alert|command)|admin(?:istrator)? override|priority override)\\b',
    rest: '\\W{0,3}:',
  },
  {
    kind: 'role',
    name: 'message from the maker',
    score: 2,
    begin: '\\b(?:message|instructions?|notice|request|orders?|update) from\\b',
    rest: '\\W{1,2}(?:the |your )?(?:system\\b|developers?\\b|administrators?\\b|operators?\\b|creators?\\b|anthropic|openai)',
  },
  {
    kind: 'addressed',
    name: 'to models',
    score: 1,
    begin: '\\b(?:attention|note|notice|important|message|instructions?|reminder|warning)\\b',
    rest: `[^.!?\\n]{0,20}?(?:\\b(?:to|for)\\b|[,:])\\W{1,3}${MODEL}`,
  },
  {
    kind: 'addressed',
    name: 'if you are a model',
    score: 2,
    begin: "\\b(?:if|since|because|when) you(?: are|'re)\\b",
    rest: `\\W{1,2}${MODEL}`,
  },
  {
    kind: 'addressed',
    name: 'as a model you must',
    score: 2,
    begin: '\\bas an?\\b',
    rest: `\\W{1,2}${MODEL}[^.!?]{0,20}?\\byou (?:must|should|need to|have to|are required|will)\\b`,
  },
  {
    kind: 'addressed',
    name: 'you must call',
    score: 1,
    begin: '\\byou (?:must|should|have to|need to|are required to)\\b',
    rest: '\\W{1,2}(?:now |immediately |first |also |always )?(?:run|execute|call|invoke|use)\\b[^.!?]{0,20}?\\b(?:the following|this|these|tool|function|command)\\b',
  },
  {
    kind: 'secrecy',
    name: 'do not tell the user',
    score: 3,
    begin:
      "\\b(?:do not|don'?t|never|without|avoid|must not|should not)\\W{1,3}(?:ever |let |explicitly )?(?:tell|inform|mention|reveal|notify|disclos|alert|know)",
    rest: `[^.!?]{0,40}?\\b${USER}`,
  },
  {
    kind: 'secrecy',
    name: 'without asking',
    score: 1,
    begin: "\\b(?:do not|don'?t|never|without)\\W{1,3}(?:ask|show|warn|consult|confirm|request)",
    rest: `[^.!?]{0,30}?\\b${USER}`,
  },
  {
    kind: 'secrecy',
    name: 'keep it hidden',
    score: 2,
    begin: '\\b(?:keep|hide|conceal)\\b',
    rest: `\\W{1,2}(?:this|it|that|these|all of this)\\b[^.!?]{0,30}?\\b(?:secret|hidden|confidential|from (?:the |your )?${USER}|between us)`,
  },
  {
    kind: 'exfiltration',
    name: 'send private things',
    score: 2,
    begin: '\\b(?:send|post|upload|forward|transmit|email|submit|append|leak|exfiltrate)\\b',
    rest: `[^!?\\n]{0,50}?\\b${PRIVATE}[^!?\\n]{0,60}?(?:https?://|\\bto [\\w.+-]{1,40}@|webhook|curl |wget |\\burl\\b)`,
  },
  {
    kind: 'exfiltration',
    name: 'image with a place for data',
    score: 3,
    begin: '!\\[',
    rest: '[^\\]\\n]{0,200}\\]\\(\\s{0,4}https?://[^\\s)]{1,300}?(?:\\{[^}\\s]{1,60}\\}|\\[[^\\]]{1,60}\\]|<[^>]{1,60}>|\\$\\w|%s|your[_-]|(?:data|secret|key|token|q|leak|content)=(?:\\.\\.\\.|base64|encoded|insert|the_))',
  },
  {
    kind: 'exfiltration',
    name: 'image with a place for data',
    score: 3,
    begin: '<img\\b',
    rest: '[^>\\n]{0,80}?src\\s?=\\s?["\']?https?://[^\\s"\'>]{1,300}?(?:\\{[^}\\s]{1,60}\\}|\\[[^\\]]{1,60}\\]|\\$\\w|%s|your[_-])',
  },
  {
    kind: 'markup',
    name: 'tokens of a model',
    score: 3,
    begin: '<\\|',
    rest: '(?:im_start|im_end|im_sep|system|user|assistant|start_header_id|end_header_id|eot_id|begin_of_text|endoftext|channel|message|start|end|tool_calls?|fim_\\w{1,10})\\|>',
  },
  {
    kind: 'markup',
    name: 'tokens of a model',
    score: 2,
    begin: '(?:\\[/?inst\\]|<</?sys>>)',
    rest: '',
  },
  {
    kind: 'markup',
    name: 'tool calls',
    score: 3,
    begin:
      '</?(?:antml:)?(?:tool_results?|tool_use|tool_calls?|tool_response|function_results?|function_calls?|invoke|sluice-untrusted)\\b',
    rest: '[^>\\n]{0,120}>',
  },
  {
    kind: 'markup',
    name: 'system',
    score: 2,
    begin: '</?(?:system|system[_ -]?prompt|system[_ -]?message|developer|admin|instructions?)>',
    rest: '',
  },
  { kind: 'markup', name: 'reminder', score: 1, begin: '<system-reminder>', rest: '' },
  {
    kind: 'markup',
    name: 'speaker',
    score: 1,
    begin: '\\n(?:human|assistant|system|user):',
    rest: '',
  },
  {
    kind: 'markup',
    name: 'speaker',
    score: 2,
    begin: '\\n#{2,4} ?(?:system|instruction|response|human|assistant):',
    rest: '',
  },
]

/** Beyond so many places to try, a text was made to hide something among them. */
const tries = (length: number): number => 2000 + Math.floor(length / 8)
const MAX_FINDINGS = 100

const BEGIN = new RegExp(PHRASES.map(({ begin }) => `(${begin})`).join('|'), 'g')
const WHOLE = PHRASES.map(({ begin, rest }) => new RegExp(`${begin}${rest}`, 'y'))

/** Phrases in a text that is plain already. */
export function findPhrases(plain: string): readonly Finding[] {
  const found: Finding[] = []
  let left = tries(plain.length)
  BEGIN.lastIndex = 0
  for (let match = BEGIN.exec(plain); match !== null; match = BEGIN.exec(plain)) {
    const start = match.index
    left -= 1
    if (left === 0 || found.length >= MAX_FINDINGS) {
      found.push({
        kind: 'override',
        name: 'too many to look at',
        start,
        end: plain.length,
        score: 3,
      })
      return found
    }
    const at = match.findIndex((group, i) => i > 0 && group !== undefined) - 1
    const finding = tryAll(plain, start, at)
    if (finding !== undefined) found.push(finding)
    BEGIN.lastIndex = Math.max(finding?.end ?? 0, start + 1)
  }
  return found
}

/** The phrase whose beginning was met, or a later one that begins alike. */
function tryAll(plain: string, start: number, first: number): Finding | undefined {
  for (let at = first; at < PHRASES.length; at++) {
    const whole = WHOLE[at]
    const phrase = PHRASES[at]
    if (whole === undefined || phrase === undefined) return undefined
    whole.lastIndex = start
    if (!whole.test(plain)) continue
    return {
      kind: phrase.kind,
      name: phrase.name,
      score: phrase.score,
      start,
      end: whole.lastIndex,
    }
  }
  return undefined
}
