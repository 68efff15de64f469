/**
 * Rules of `coding-agent` on what comes in and goes out: programs fetched and run, files sent away, shells opened to
 * others. Neighbours: `preset-rule.ts` has the form.
 */
import {
  all,
  any,
  arg,
  command,
  flagged,
  has,
  named,
  not,
  pipe,
  re,
  type PresetRule,
} from './preset-rule.ts'

const SHELLS =
  'sh bash zsh dash ksh fish ash csh tcsh busybox pwsh powershell cmd iex invoke-expression'
const RUNNERS = `${SHELLS} python python2 python3 node deno bun perl ruby php lua tclsh osascript Rscript`
const FETCHERS =
  'curl wget fetch aria2c http https xh lynx links ftp nc ncat iwr irm invoke-webrequest invoke-restmethod'
const SENDERS = 'curl wget http https xh nc ncat netcat telnet ssh socat openssl ftp mail sendmail'

const either = (names: string): string => `(${names.replaceAll(' ', '|')})`

/** What a shell puts in from another command: `$(…)`, `<(…)`, backticks. */
const FROM_COMMAND = '([$]\\(|<\\(|`)'

/** This machine: what is sent there stays. */
const isLocal = arg(
  String.raw`^(-\S+=)?(https?://)?(localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1\])([:/]|$)`,
)

/** Where people put things that others are to pick up. */
const COLLECTORS =
  String.raw`(?i)(transfer\.sh|pastebin\.com|paste\.(rs|ee)|hastebin|ix\.io|termbin\.com|0x0\.st|file\.io|temp\.sh|gofile\.io|catbox\.moe` +
  String.raw`|webhook\.site|requestbin|pipedream\.net|hookbin|beeceptor\.com|ngrok(-free)?\.(io|app|dev)|trycloudflare\.com|serveo\.net|loca\.lt` +
  String.raw`|burpcollaborator|oastify|oast\.|interact\.sh|dnslog|ceye\.io|canarytokens|discord(app)?\.com/api/webhooks|hooks\.slack\.com|api\.telegram\.org)`

export const NETWORK: readonly PresetRule[] = [
  {
    name: 'fetch-and-run',
    careful: 'deny',
    strict: 'deny',
    when: any(
      pipe(
        `(^| )${either(FETCHERS)} (.* )?${either(`${RUNNERS} sudo doas xargs parallel source`)}( |$)`,
      ),
      all(
        command(named('curl wget fetch')),
        re(
          'shell.text',
          String.raw`(^|[\s;&|(])(eval|source|\.|${RUNNERS.replaceAll(' ', '|')})\s+(-\w+\s+)*["']?${FROM_COMMAND}`,
        ),
      ),
      command(
        all(named('deno bun go'), has('run'), arg('^https?://|@latest$|^[a-z0-9-]+[.][a-z]+/')),
      ),
    ),
    reason: 'This runs a program straight from the network, unseen.',
    instead: 'Download it to the workspace, look at it, and then run it.',
  },
  {
    name: 'run-written',
    careful: 'ask',
    strict: 'deny',
    when: command(
      any(
        all(named(`${RUNNERS} source .`), 'c.paths.exists(f, f in files.written)'),
        all('c.path.contains("/")', 'files.written.exists(f, f.endsWith("/" + c.name))'),
      ),
    ),
    reason: 'This writes a program and runs it in the same breath, so that nobody sees it first.',
    instead: 'Write the file with the file tool, and run it in a second call.',
  },
  {
    name: 'run-outside',
    careful: 'pass',
    strict: 'ask',
    when: command(
      all(
        named(`${RUNNERS} source .`),
        'files.workspace != ""',
        `c.paths.exists(f, ${all(re('f', '^[/~]'), '!f.isUnder(files.workspace)')})`,
      ),
    ),
    reason: 'This runs a program from outside of the workspace.',
  },
  {
    name: 'install-unknown',
    careful: 'ask',
    strict: 'deny',
    when: command(
      all(
        named('pip pip3 pipx uv npm pnpm yarn bun cargo gem go brew apt apt-get dnf yum'),
        has('install i add get'),
        arg(
          '^(git[+])?(https?|ssh|git|file)://|^git[+]|^github:|^--(git|index-url|extra-index-url|registry)',
        ),
      ),
    ),
    reason: 'This installs a package from an address, beside the registry.',
  },
  {
    name: 'run-package',
    careful: 'pass',
    strict: 'ask',
    when: command(
      any(
        all(named('npx bunx pnpx uvx pipx dlx'), flagged('-y --yes')),
        all(named('npm pnpm yarn'), has('dlx create init exec'), flagged('-y --yes')),
        all(named('docker podman'), has('run'), not(has('--network=none'))),
      ),
    ),
    reason: 'This fetches a package and runs it.',
  },
  {
    name: 'reverse-shell',
    careful: 'deny',
    strict: 'deny',
    when: any(
      re('shell.text', '/dev/(tcp|udp)/'),
      command(
        any(
          all(named('nc ncat netcat'), flagged('-e -c --exec --sh-exec -l --listen')),
          all(named('socat'), arg('(?i)(exec|system|pty)')),
          all(
            named(RUNNERS),
            arg(
              String.raw`(?i)(socket\.socket|TCPSocket|net\.connect|IO::Socket|fsockopen|pty\.spawn|Socket\.tcp|createConnection)`,
            ),
          ),
          named('autossh chisel frpc ngrok cloudflared localtunnel'),
          all(named('ssh'), flagged('-R -D')),
        ),
      ),
    ),
    reason: 'This opens this machine to another one.',
  },
  {
    name: 'send-files',
    careful: 'ask',
    strict: 'deny',
    when: command(
      all(
        not(isLocal),
        any(
          all(
            named('curl'),
            any(
              flagged('-T --upload-file'),
              arg('^@|^[^=]{1,60}=[@<]|^--(data|form|json)[a-z-]*=.*@|^-[dF].*@'),
            ),
          ),
          all(named('wget'), arg('^--(post|body)-file')),
          all(named('http https xh'), arg('@')),
          named(
            'nc ncat netcat telnet ftp tftp lftp ncftpput rclone croc wormhole sendmail mail mailx mutt swaks',
          ),
          all(named('scp rsync sftp'), arg('^[^/ ]+:|^rsync://')),
          all(
            named('aws gsutil az s3cmd mc b2'),
            has('cp sync mv put upload upload-file upload-batch'),
          ),
          all(named('kubectl oc'), has('cp')),
          all(named('ssh'), 'c.redirects.exists(r, r.op.startsWith("<"))'),
          all(named('gh'), has('gist release'), has('create upload edit')),
          all(named('git'), has('remote'), has('add set-url')),
          all(named('git'), has('push'), arg('^(https?|ssh|git)://|^[^/ ]+@[^/ ]+:')),
        ),
      ),
    ),
    reason: 'This sends files to another machine.',
  },
  {
    name: 'send-output',
    careful: 'ask',
    strict: 'deny',
    when: any(
      all(pipe(`^.+ ${either(SENDERS)}( |$)`), not(command(isLocal))),
      command(
        all(
          named('dig nslookup host ping drill kdig open xdg-open start w3m lynx'),
          re('c.text', '[$`]'),
        ),
      ),
      command(
        all(
          named('curl wget http https xh'),
          any(re('c.text', `[?&/=][^ ]*${FROM_COMMAND}`), re('c.text', COLLECTORS)),
        ),
      ),
    ),
    reason: 'This sends what a command prints to another machine.',
  },
]
