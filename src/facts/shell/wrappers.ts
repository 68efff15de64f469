/**
 * Commands that run another: `sudo`, `env`, `xargs`, `find -exec`, `ssh`, … → the command inside. Neighbours:
 * `handlers.ts` lists them. What a wrapper does beside that is of no interest.
 */
import {
  toField,
  type Call,
  type Field,
  type Handler,
  type Machine,
  type Stream,
} from './machine.ts'
import { cut, hasOption, splitLeading, splitWords, valueOf, type OptionNames } from './options.ts'
import { joinFields } from './fields.ts'

interface Wrapper extends OptionNames {
  /** Operands that come before the command: a host, a time. */
  readonly skips?: number
  /** The first operand must be one of these. */
  readonly verbs?: readonly string[]
  readonly isElevated?: boolean
  /** The words are put together and read by a shell. */
  readonly isText?: boolean
  /** An option whose value is read by a shell. */
  readonly text?: readonly string[]
  readonly isRemote?: boolean
}

const SSH = 'bcDEeFIiJLlmOopQRSWwB'

const TABLE: Readonly<Record<string, Wrapper>> = {
  sudo: {
    short: 'ugpCrtTUDRh',
    long: [
      'user',
      'group',
      'prompt',
      'chdir',
      'chroot',
      'host',
      'role',
      'type',
      'close-from',
      'other-user',
      'command-timeout',
    ],
    isElevated: true,
  },
  doas: { short: 'uC', isElevated: true },
  pkexec: { long: ['user'], isElevated: true },
  run0: {
    short: 'uDp',
    long: ['user', 'group', 'chdir', 'property', 'setenv', 'unit'],
    isElevated: true,
  },
  gosu: { skips: 1, isElevated: true },
  'su-exec': { skips: 1, isElevated: true },
  nohup: {},
  setsid: {},
  nice: { short: 'n', long: ['adjustment'] },
  ionice: { short: 'cnpPu', long: ['class', 'classdata', 'pid'] },
  chrt: { short: 'TPD', skips: 1 },
  taskset: { skips: 1 },
  time: { short: 'fo', long: ['format', 'output'] },
  timeout: { short: 'ks', long: ['kill-after', 'signal'], skips: 1 },
  gtimeout: { short: 'ks', long: ['kill-after', 'signal'], skips: 1 },
  stdbuf: { short: 'ioe', long: ['input', 'output', 'error'] },
  unbuffer: {},
  chroot: { long: ['userspec', 'groups'], skips: 1 },
  unshare: { short: 'RSGw', long: ['root', 'wd', 'setuid', 'setgid', 'map-user', 'map-group'] },
  nsenter: { short: 'tSGW', long: ['target', 'setuid', 'setgid', 'wdns'] },
  strace: { short: 'oeEpsSuUIabPX' },
  ltrace: { short: 'oenpsSual' },
  gdb: { long: ['ex', 'x', 'command'] },
  catchsegv: {},
  caffeinate: { short: 'tw' },
  'xvfb-run': { short: 'nsefpw', long: ['server-args', 'server-num', 'auth-file', 'error-file'] },
  dbus_run_session: {},
  busybox: {},
  toybox: {},
  coreutils: {},
  builtin: {},
  noglob: {},
  nocorrect: {},
  exec: { short: 'a' },
  watch: { short: 'nq', long: ['interval', 'equexit'], isText: true },
  entr: {},
  npx: { short: 'pc', long: ['package', 'call', 'workspace'], text: ['-c', '--call'] },
  bunx: {},
  pnpx: {},
  uvx: { long: ['from', 'with', 'python'], short: 'p' },
  pnpm: { verbs: ['dlx', 'exec'] },
  yarn: { verbs: ['dlx', 'exec'] },
  uv: { verbs: ['run'], long: ['with', 'python', 'extra', 'group'], short: 'p' },
  poetry: { verbs: ['run'] },
  pipenv: { verbs: ['run'] },
  pdm: { verbs: ['run'] },
  rye: { verbs: ['run'] },
  bundle: { verbs: ['exec'] },
  mise: { verbs: ['exec', 'x'] },
  rtx: { verbs: ['exec'] },
  asdf: { verbs: ['exec'] },
  direnv: { verbs: ['exec'], skips: 1 },
  conda: { verbs: ['run'], short: 'np', long: ['name', 'prefix', 'cwd'] },
  'nix-shell': {
    short: 'pAIQj',
    long: ['run', 'command', 'packages'],
    text: ['--run', '--command'],
  },
  ssh: { short: SSH, skips: 1, isText: true, isRemote: true },
  sshpass: { short: 'pfPe' },
  mosh: { long: ['ssh', 'port'], skips: 1, isRemote: true },
  kubectl: {
    short: 'nc',
    long: ['namespace', 'container', 'context'],
    verbs: ['exec'],
    skips: 1,
    isRemote: true,
  },
  docker: {
    short: 'uewvpl',
    long: [
      'user',
      'env',
      'workdir',
      'volume',
      'name',
      'network',
      'mount',
      'publish',
      'entrypoint',
      'env-file',
      'platform',
      'label',
      'cpus',
      'memory',
      'hostname',
    ],
    verbs: ['exec', 'run'],
    skips: 1,
    isRemote: true,
  },
  podman: {
    short: 'uewvpl',
    long: [
      'user',
      'env',
      'workdir',
      'volume',
      'name',
      'network',
      'mount',
      'publish',
      'entrypoint',
      'env-file',
      'platform',
      'label',
      'cpus',
      'memory',
      'hostname',
    ],
    verbs: ['exec', 'run'],
    skips: 1,
    isRemote: true,
  },
}

function wrap(wrapper: Wrapper): Handler {
  return (machine, call) => {
    const lead = skipAssignments(machine, call.words)
    const split = splitLeading(lead, wrapper)
    const inner = wrapper.isElevated === true ? { ...call, isElevated: true } : call
    const text = wrapper.text === undefined ? undefined : valueOf(split, ...wrapper.text)
    if (text !== undefined) return machine.runText(text, call.name, inner)
    const words = skipVerbs(split.operands, wrapper)
    if (words === undefined) return undefined
    const command = skipAssignments(machine, words)
    const isShell =
      wrapper.isText === true ||
      (call.name === 'sudo' && hasOption(split, '-s', '-i', '--shell', '--login'))
    const run = (): Stream =>
      isShell && command.length > 0
        ? machine.runText(joinFields(command), call.name, inner)
        : machine.runWords(command, { ...inner, redirects: [] })
    return wrapper.isRemote === true ? remotely(machine, run) : run()
  }
}

/** What comes behind the verb and the operands that are not the command; `undefined` for another verb. */
function skipVerbs(operands: readonly Field[], wrapper: Wrapper): readonly Field[] | undefined {
  let rest = operands
  if (wrapper.verbs !== undefined) {
    if (!wrapper.verbs.includes(rest[0]?.text ?? '')) return undefined
    rest = splitLeading(rest.slice(1), wrapper).operands
  }
  rest = rest.slice(wrapper.skips ?? 0)
  return rest[0]?.text === '--' ? rest.slice(1) : rest
}

/** `X=1` before a command. */
function skipAssignments(machine: Machine, words: readonly Field[]): readonly Field[] {
  let at = 0
  for (; at < words.length; at++) {
    const word = words[at]
    const name = word === undefined ? null : /^([A-Za-z_]\w*)=/.exec(word.text)
    if (word === undefined || name === null) break
    machine.scope.suggest(name[1] ?? '', [[cut(word, name[0].length)]])
  }
  return at === 0 ? words : words.slice(at)
}

function remotely<Value>(machine: Machine, run: () => Value): Value {
  const was = machine.scope.isRemote()
  machine.scope.setRemote(true)
  const value = run()
  machine.scope.setRemote(was)
  return value
}

const env: Handler = (machine, call) => {
  const split = splitLeading(call.words, {
    short: 'uCSP',
    long: ['unset', 'chdir', 'split-string'],
  })
  const text = valueOf(split, '-S', '--split-string')
  const rest = skipAssignments(machine, split.operands)
  if (text !== undefined) return machine.runText(joinFields([text, ...rest]), 'env', call)
  // `env -i X=1 -- cmd`, and flags between assignments.
  const words = rest[0]?.text === '--' ? rest.slice(1) : rest
  return words.length === 0 ? undefined : machine.runWords(words, { ...call, redirects: [] })
}

const command: Handler = (machine, call) => {
  const split = splitLeading(call.words, {})
  const [first] = split.operands
  // `command -v rm` says where it is.
  if (hasOption(split, '-v', '-V'))
    return first?.isKnown === true
      ? { text: `${first.text}\n`, isKnown: true, from: [] }
      : undefined
  return machine.runWords(split.operands, { ...call, redirects: [] })
}

/** `su - user -c 'text'`, `su user -c …`. */
const su: Handler = (machine, call) => {
  const text = valueOf(
    splitWords(call.words, { short: 'cgGsw', long: ['command', 'group', 'shell'] }),
    '-c',
    '--command',
  )
  const inner = { ...call, isElevated: true }
  if (text !== undefined) return machine.runText(text, 'su', inner)
  return call.stdin === undefined ? undefined : runInput(machine, call, inner)
}

const runInput = (machine: Machine, call: Call, inner: Call): Stream => {
  const { text = '', isKnown = false, from = [] } = call.stdin ?? {}
  return machine.runText({ ...toField(text), isKnown, from: isKnown ? [] : from }, call.name, {
    ...inner,
    stdin: undefined,
  })
}

/** `script -c 'text'`, `flock file -c 'text'`, `flock file cmd`. */
const flock: Handler = (machine, call) => {
  const split = splitLeading(call.words, {
    short: 'wEc',
    long: ['timeout', 'conflict-exit-code', 'command'],
  })
  const [, ...rest] = split.operands
  const [first, text] = rest
  if (first?.text === '-c' && text !== undefined) return machine.runText(text, 'flock', call)
  return machine.runWords(rest, { ...call, redirects: [] })
}

const script: Handler = (machine, call) => {
  const text = valueOf(
    splitWords(call.words, { short: 'cEoOIBTm', long: ['command'] }),
    '-c',
    '--command',
  )
  return text === undefined ? undefined : machine.runText(text, 'script', call)
}

export const WRAPPERS: readonly (readonly [string, Handler])[] = [
  ...Object.entries(TABLE).map(([name, wrapper]): readonly [string, Handler] => [
    name,
    wrap(wrapper),
  ]),
  ['env', env],
  ['command', command],
  ['su', su],
  ['flock', flock],
  ['script', script],
]
