/**
 * Rules of `coding-agent` on what outlives the session or weakens what guards it: writes outside the workspace,
 * start-up files, other users, safety switches; and on what cannot be looked into. Neighbours: `preset-rule.ts` has the
 * form.
 */
import { BROAD } from './destruction.ts'
import {
  all,
  any,
  arg,
  command,
  file,
  flagged,
  glob,
  has,
  named,
  not,
  re,
  type PresetRule,
} from './preset-rule.ts'

/** What runs by itself later on. */
const STARTUP =
  '{**/{' +
  '.{bashrc,bash_profile,bash_login,bash_logout,bash_aliases,profile,zshrc,zshenv,zprofile,zlogin,kshrc,cshrc,tcshrc},' +
  '.{xinitrc,xprofile,xsession,inputrc,vimrc,screenrc,tmux.conf,pythonrc,pam_environment,gitconfig},' +
  '.config/{fish/**,autostart/**,systemd/**,nvim/**,git/config},.git/{hooks/**,config},.husky/**,' +
  '.ssh/{authorized_keys*,config,rc,environment},LaunchAgents/**,LaunchDaemons/**,Startup/**,' +
  'sitecustomize.py,usercustomize.py,*.pth,Microsoft.PowerShell_profile.ps1' +
  '},/etc/**,/var/spool/cron/**,/usr/{,local/}{bin,sbin,lib}/**,/{bin,sbin,lib,boot,opt}/**}'

/** What tells agents and editors what they may do. */
const AGENTS =
  '**/{.claude/{settings*.json,hooks/**},.claude.json,.codex/config.toml,.cursor/{mcp.json,hooks*,permissions.json},' +
  '.mcp.json,.config/opencode/**,opencode.json*,.{gemini,qwen}/settings.json,.vscode/{settings,tasks}.json,' +
  'sluice.{yaml,yml},.aider.conf.yml,.continue/config*}'

const SCRATCH = String.raw`^(/tmp|/var/tmp|/private/tmp|/var/folders)/.+|^/dev/(fd/\d+|shm/.+)$`

/** Settings of git's that name a program to run. */
const GIT_RUNS = String.raw`(core\.(hookspath|fsmonitor|sshcommand|editor|pager|askpass|gitproxy)|alias\.|credential\.|include\.|includeif\.|init\.templatedir|filter\.|diff\.[^ ]*(command|textconv)|merge\.[^ ]*driver|sequence\.editor|gpg\.)`

/** Variables that make other programs run something. */
const INJECTING =
  '(LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|PROMPT_COMMAND|GIT_SSH_COMMAND|GIT_SSH|GIT_EXTERNAL_DIFF|GIT_CONFIG_[A-Z0-9_]+|NODE_OPTIONS|PYTHONSTARTUP|PERL5OPT|RUBYOPT)'

const WORD_START = String.raw`(^|[\s;&|(])`

const INTERPRETERS =
  'python python2 python3 node deno bun perl ruby php lua osascript Rscript pwsh powershell awk gawk tclsh jshell'

/** Calls within inline code that reach past it. */
const REACHING =
  String.raw`(?i)(rmtree|rmsync|rmdir|unlink|removedirs|rm_rf|rm_r\b|file\.delete|os\.remove|os\.execute|fs\.rm|child_process|os\.system|os\.popen|os\.exec` +
  String.raw`|subprocess|execsync|spawn|b64decode|decode_base64|atob\(|fromcharcode|frombase64|unpack\(|exec\(|eval\(|system\(|__import__|getattr\(` +
  String.raw`|invoke-expression|downloadstring|do shell script|qx[\[{(/]|%x[\[{(]|popen|base64_decode|shell_exec|passthru|` +
  '`[^`]+`)'

/** Options by which a program runs what it is told. */
const HIDDEN_RUNS = any(
  all(named('tar'), arg('^--(checkpoint-action|to-command|use-compress-program)|^-I')),
  all(named('rsync'), flagged('-e --rsh')),
  all(
    named('vim vi nvim view ex emacs'),
    arg(String.raw`^[+:]?:?!|^:|\+!|system\(|--eval|shell-command`),
  ),
  all(named('sed gsed'), arg(String.raw`(^|[;\d$/{])e( |$)|/e$|/e;`)),
  all(named('sqlite3 psql mysql gdb lldb ed'), arg(String.raw`^\.?(shell|system)\b|^\\!|^!`)),
  all(named('make gmake'), any(flagged('--eval'), has('-f -'), arg('^--eval')), has('-')),
  all(named('npm pnpm yarn npx'), has('exec x'), flagged('-c --call --shell-mode')),
)

export const SYSTEM: readonly PresetRule[] = [
  {
    name: 'startup-files',
    careful: 'ask',
    strict: 'deny',
    when: any(
      file('written', glob('f', STARTUP)),
      command(
        any(
          all(named('crontab'), not(flagged('-l'))),
          named('at batch schtasks update-rc.d chkconfig visudo register-scheduledtask'),
          all(named('systemctl'), has('enable link edit unmask daemon-reload')),
          all(named('launchctl'), has('load bootstrap enable submit')),
          all(named('git'), has('config'), arg(`(?i)^${GIT_RUNS}`), `${'c.args.size()'} > 2`),
          all(
            named('git'),
            arg(`(?i)^(-c)?${GIT_RUNS}[^ ]*=|^--(upload-pack|receive-pack|exec)=|^ext::`),
          ),
          all(named('reg'), has('add')),
        ),
      ),
    ),
    reason: 'This changes what runs by itself later: start-up files, jobs or hooks.',
  },
  {
    name: 'agent-settings',
    careful: 'ask',
    strict: 'deny',
    when: any(
      file('written', glob('f', AGENTS)),
      file('deleted', glob('f', AGENTS)),
      re('shell.text', '(?i)(ANTHROPIC|OPENAI|GEMINI)_(BASE_URL|API_BASE|BEDROCK_BASE_URL)'),
      re(
        'shell.text',
        String.raw`--dangerously-[a-z-]+|--yolo\b|--full-auto\b|--permission-mode[ =]bypass`,
      ),
    ),
    reason: 'This changes what an agent is allowed to do, or leads it around this gateway.',
  },
  {
    name: 'safety-off',
    careful: 'ask',
    strict: 'deny',
    when: any(
      command(
        any(
          all(named('git'), any(flagged('--no-verify'), all(has('commit'), flagged('-n')))),
          all(named('ufw'), has('disable reset')),
          all(named('iptables ip6tables nft'), has('-F --flush -P flush -X')),
          all(named('systemctl service launchctl'), has('stop disable mask unload bootout')),
          named(
            'setenforce csrutil spctl auditctl aa-disable aa-teardown tccutil set-mppreference set-executionpolicy netsh bcdedit vssadmin wevtutil',
          ),
          all(named('history'), flagged('-c -w -d')),
          all(
            named('kill killall pkill'),
            re('c.text', 'sluice|falco|auditd|osquery|clamd|crowdstrike|falcon'),
          ),
          re(
            'c.text',
            'strict-ssl[ =]false|sslverify[ =]false|--no-check-certificate|--trusted-host',
          ),
        ),
      ),
      re(
        'shell.text',
        String.raw`unset HISTFILE|HISTFILE=|HISTSIZE=0|set \+o history|NODE_TLS_REJECT_UNAUTHORIZED=.?0|GIT_SSL_NO_VERIFY`,
      ),
    ),
    reason: 'This switches off a check that guards this machine or this repository.',
    instead: 'Mend what the check found.',
  },
  {
    name: 'other-user',
    careful: 'ask',
    strict: 'deny',
    when: command(
      any(
        'c.isElevated',
        named(
          'sudo su doas pkexec runas runuser gosu useradd adduser userdel deluser usermod groupadd groupmod passwd chpasswd chsh newgrp setcap setpriv',
        ),
      ),
    ),
    reason: 'This runs as another user, or changes who may do what.',
    instead: 'Do it without other rights, or let the person run this step.',
  },
  {
    name: 'escape',
    careful: 'ask',
    strict: 'deny',
    when: any(
      command(
        any(
          named('nsenter chroot unshare mount umount debugfs'),
          all(named('enable'), flagged('-f')),
          // What is deleted or written below the link is another folder's.
          all(named('ln'), `c.paths.exists(f, ${re('f', BROAD)})`),
          all(
            named('docker podman nerdctl'),
            re(
              'c.text',
              String.raw`--privileged|(-v|--volume)[ =]?(/|~|\$HOME)(:| )|docker\.sock|--pid[ =]host|source=/,|--cap-add[ =](ALL|SYS_ADMIN)`,
            ),
          ),
        ),
      ),
      re('shell.text', `${WORD_START}${INJECTING}=`),
      re(
        'shell.text',
        `${WORD_START}(GIT_)?(PAGER|EDITOR|VISUAL|BROWSER|ASKPASS|SHELL)=["'][^"']*\\s`,
      ),
    ),
    reason:
      'This reaches out of the place that the agent works in, or puts its own code into other programs.',
  },
  {
    name: 'write-outside',
    careful: 'ask',
    strict: 'deny',
    when: file('written', all('f in files.outside', not(re('f', SCRATCH)))),
    reason: 'This writes outside of the workspace.',
    instead: 'Write inside the workspace, or to /tmp.',
  },
  {
    name: 'inline-code',
    careful: 'ask',
    strict: 'deny',
    when: command(
      any(
        all(
          named(INTERPRETERS),
          any(arg(REACHING), all(named('pwsh powershell'), arg('(?i)^-e(c|nc|ncodedcommand)?$'))),
        ),
        HIDDEN_RUNS,
      ),
    ),
    reason: 'This is code within a command that runs further commands or deletes files.',
    instead: 'Run the commands themselves, or put the code into a file.',
  },
  {
    name: 'opaque-command',
    careful: 'ask',
    strict: 'ask',
    when: all(
      'shell.isUsed',
      any(
        '!shell.isParsed',
        command('c.name == ""'),
        all(
          'shell.isOpaque',
          command(named('eval source . sh bash zsh dash ksh fish xargs parallel exec trap')),
        ),
      ),
    ),
    reason: 'Part of this command is only known when it runs, so it cannot be judged.',
    instead: 'Write the command out, without variables, encodings or eval.',
  },
  {
    name: 'opaque-argument',
    careful: 'pass',
    strict: 'ask',
    when: 'shell.isUsed && shell.isOpaque',
    reason: 'An argument of this command is only known when it runs.',
    instead: 'Write the arguments out.',
  },
]
