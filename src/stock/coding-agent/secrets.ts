/**
 * Rules of `coding-agent` on files that hold secrets, whoever reads them: a shell or a file tool. Neighbours:
 * `preset-rule.ts` has the form.
 */
import {
  all,
  any,
  arg,
  command,
  file,
  glob,
  has,
  named,
  not,
  re,
  type PresetRule,
} from './preset-rule.ts'

/** Keys that open other machines, accounts and money. One `**` before all: each one more is tried at every folder. */
const KEYS =
  '{**/{' +
  '.ssh{,/**},id_{rsa,dsa,ecdsa,ed25519},' +
  '*.{pem,p12,pfx,ppk,jks,keystore,kdbx,key,keychain,keychain-db},' +
  '{.aws,.azure,.oci,.gnupg,.password-store,.config/{gcloud,1Password,Bitwarden*},.ethereum,.bitcoin,.electrum,.solana}{,/**},' +
  'application_default_credentials.json,service-account*.json,.kube{,/config*},' +
  '{Library/Keychains,.local/share/keyrings,.config/{google-chrome,chromium,BraveSoftware},.mozilla/firefox,Application Support/{Google/Chrome,Firefox}}{,/**},' +
  'Login Data,Cookies,cookies.sqlite,logins.json,key4.db,wallet.dat,Local State' +
  '},/etc/{shadow,gshadow,sudoers,master.passwd}*,/etc/sudoers.d/**,/etc/ssh/ssh_host_*,/etc/ssl/private/**,' +
  '/proc/*/{environ,mem,maps}}'

/** Settings that hold passwords among other things. */
const SETTINGS =
  '**/{.env,.env.*,*.env,.envrc,.dev.vars,.netrc,_netrc,.npmrc,.pypirc,.pgpass,.my.cnf,.git-credentials,' +
  '.config/{git/credentials,gh/hosts.yml,op/**},.docker/config.json,.cargo/credentials*,.gem/credentials,' +
  '.m2/settings.xml,.gradle/gradle.properties,.terraformrc,*.tfstate*,*.tfvars,.vault-token,' +
  'secrets.{json,yml,yaml,toml},credentials.{json,yml,yaml},.htpasswd,secrets/**,' +
  '.{bash,zsh,python,node_repl,psql,mysql,sqlite,rediscli}_history,.claude/.credentials.json,.claude.json,' +
  '.codex/auth.json,.local/share/opencode/auth.json}'

/** Made to be shown: examples, public keys, what only names hosts. */
const OPEN = String.raw`(?i)(\.(example|sample|template|dist|test|tpl|defaults?|schema)$|\.pub$|known_hosts|\.env\.d\.ts$|(^|/)(tests?|fixtures|__tests__|node_modules|testdata)/)`

/** Commands that do not read what they name. */
const BLIND =
  'ls stat test [ [[ touch mkdir rmdir echo printf true false cd pwd which type file du basename dirname realpath readlink rm unlink chmod chown ssh-keygen ssh-add ssh'

/** Commands whose words are read and written files: which is which, `files` knows. */
const COPYING = 'cp mv install tee patch sed truncate dd rsync ln'

/** A pattern that may well stand for a hidden file: `.e*`, `.??v`. */
const HIDDEN_PATTERN = String.raw`(^|/)\.[A-Za-z]{0,3}[*?\[][^/]*(/|$)`

const touches = (isSecret: string, skipped: string): string =>
  any(
    all(file('read', isSecret), not(`shell.isUsed && shell.commands.all(c, ${named(BLIND)})`)),
    command(
      all(
        not(named(skipped)),
        any(
          `c.paths.exists(f, ${isSecret})`,
          `c.args.exists(a, a.contains("=") && [a.substring(a.indexOf("=") + 1)].exists(f, ${isSecret}))`,
        ),
      ),
    ),
  )

export const SECRETS: readonly PresetRule[] = [
  {
    name: 'secret-keys',
    careful: 'deny',
    strict: 'deny',
    when: touches(all(glob('f', KEYS), not(re('f', OPEN))), BLIND),
    reason: 'This reads keys or passwords: they would be sent to the model.',
    instead: 'Do without them, or let the person run this step.',
  },
  {
    name: 'secret-settings',
    careful: 'ask',
    strict: 'deny',
    when: touches(
      any(all(glob('f', SETTINGS), not(re('f', OPEN))), re('f', HIDDEN_PATTERN)),
      `${BLIND} ${COPYING}`,
    ),
    reason: 'This reads settings that usually hold secrets: they would be sent to the model.',
    instead: 'Read the example file, or ask for the names of the settings.',
  },
  {
    name: 'secret-search',
    careful: 'ask',
    strict: 'deny',
    when: command(
      any(
        all(named('security'), arg('^(find|dump|export)-')),
        all(
          named('secret-tool pass op bw lpass gopass keyring vault'),
          has('lookup search show read get export list item kv'),
        ),
        all(named('gpg gpg2'), arg('^--export-secret')),
        all(
          named('aws gcloud az gh heroku kubectl'),
          re(
            'c.text',
            'print-(access|identity)-token|get-(session|access)-token|auth token|export-credentials|get-secret|get secrets?|secrets? (versions )?access|get-parameter|configure get|config:get',
          ),
        ),
        all(
          named('grep rg ag ack find fd locate'),
          re(
            'c.text',
            String.raw`(?i)(begin.{0,20}private key|akia|id_rsa|id_ed25519|\.env\b|aws_secret|api[_-]?key.{0,4}=|passw(or)?d.{0,4}=|secret_access_key|\.pem\b|wallet\.dat)`,
          ),
          `c.paths.exists(f, ${re('f', String.raw`^(/|~|/home.*|/Users/[^/]+|/root|/etc.*|\$.*)$`)})`,
        ),
      ),
    ),
    reason: 'This looks for secrets, or asks a store of secrets for one.',
  },
  {
    name: 'secret-variable',
    careful: 'ask',
    strict: 'deny',
    when: command(
      any(
        all(
          named('echo printf printenv cat tee base64 xxd'),
          re(
            'c.text',
            '(?i)([$][{!]*|^printenv )[a-z0-9_]*(token|secret|passw|api_?key|credential)',
          ),
        ),
        all(
          named('curl wget http https xh'),
          re(
            'c.text',
            '(?i)https?://[^ ]*[$][{]?[a-z0-9_]*(token|secret|passw|api_?key|credential)',
          ),
        ),
      ),
    ),
    reason: 'This shows a secret from the environment: it would be sent to the model.',
  },
  {
    name: 'environment',
    careful: 'pass',
    strict: 'ask',
    when: command(
      any(
        all(named('printenv env'), 'c.args.size() == 0'),
        all(
          named('export declare set compgen'),
          'c.args.all(a, a in ["-p", "-x", "-px", "-xp", "-e"])',
        ),
        arg(String.raw`os\.environ\)|process\.env\)?$|ENV\.to_h|%ENV`),
      ),
    ),
    reason: 'This prints the environment, where secrets stand.',
  },
]
