/**
 * Functions that run commands or touch files, of the languages that agents write one-liners in. Neighbours:
 * `code.ts` looks for them. To teach it another, add a line.
 */
import type { FileUse } from './findings.ts'

export interface CodeCall {
  /** `shell`: runs its first text. `code`: runs it as a program. `tool`: a tool of Codex's. `patch`: applies it. */
  readonly type: 'shell' | 'code' | 'tool' | 'patch'
  /** Only on these; an empty one: also without any. */
  readonly owners?: readonly string[]
  /** The first value is a program and the second a list of its words. */
  readonly isProgram?: boolean
  /** The values are the words. */
  readonly isSpread?: boolean
  /** The first word is what the program is told that it is called. */
  readonly hasName?: boolean
}

const NODE = ['', 'cp', 'child_process', 'childProcess', 'proc', 'execa']
const PYTHON = ['subprocess', 'sp', 'asyncio', 'subproc']

const shell: CodeCall = { type: 'shell' }

export const CODE_CALLS: ReadonlyMap<string, CodeCall> = new Map<string, CodeCall>([
  ['system', { type: 'shell', isSpread: true }],
  ['popen', shell],
  ['popen2', shell],
  ['shell_exec', shell],
  ['passthru', shell],
  ['proc_open', shell],
  ['getoutput', shell],
  ['getstatusoutput', shell],
  ['exec', { type: 'shell', owners: [...NODE, 'child_process'] }],
  ['execSync', shell],
  ['execa', { type: 'shell', isProgram: true }],
  ['execaCommand', shell],
  ['spawn', { type: 'shell', owners: [...NODE, 'Bun', 'pty'], isProgram: true, isSpread: true }],
  ['spawnSync', { type: 'shell', isProgram: true }],
  ['execFile', { type: 'shell', isProgram: true }],
  ['execFileSync', { type: 'shell', isProgram: true }],
  ['fork', { type: 'shell', owners: NODE, isProgram: true }],
  ['run', { type: 'shell', owners: PYTHON }],
  ['call', { type: 'shell', owners: PYTHON }],
  ['check_call', shell],
  ['check_output', shell],
  ['Popen', shell],
  ['create_subprocess_shell', shell],
  ['create_subprocess_exec', { type: 'shell', isSpread: true }],
  ['execvp', { type: 'shell', isProgram: true, hasName: true }],
  ['execv', { type: 'shell', isProgram: true, hasName: true }],
  ['execve', { type: 'shell', isProgram: true, hasName: true }],
  ['execvpe', { type: 'shell', isProgram: true, hasName: true }],
  ['execlp', { type: 'shell', isSpread: true, hasName: true }],
  ['execl', { type: 'shell', isSpread: true, hasName: true }],
  ['posix_spawn', { type: 'shell', isProgram: true, hasName: true }],
  ['eval', { type: 'code' }],
  ['Function', { type: 'code' }],
  ['compile', { type: 'code', owners: [''] }],
  ['exec_command', { type: 'tool' }],
  ['shell', { type: 'tool', owners: ['tools', ''] }],
  ['local_shell', { type: 'tool' }],
  ['shell_command', { type: 'tool' }],
  ['apply_patch', { type: 'patch' }],
])

export interface FileCall {
  readonly use: FileUse
  /** Which value is the path. */
  readonly index: number
  /** Which value says whether it is written. */
  readonly mode?: number
}

const uses = (
  use: FileUse,
  ...names: readonly string[]
): readonly (readonly [string, readonly FileCall[]])[] =>
  names.map((name) => [name, [{ use, index: 0 }]])

const moves = (
  first: FileUse,
  ...names: readonly string[]
): readonly (readonly [string, readonly FileCall[]])[] =>
  names.map((name) => [
    name,
    [
      { use: first, index: 0 },
      { use: 'written', index: 1 },
    ],
  ])

export const FILE_CALLS: ReadonlyMap<string, readonly FileCall[]> = new Map<
  string,
  readonly FileCall[]
>([
  ...uses(
    'deleted',
    'rmtree',
    'remove',
    'removedirs',
    'unlinkSync',
    'rmSync',
    'rmdirSync',
    'rm_rf',
    'rm_r',
    'remove_tree',
    'remove_dir',
    'rimraf',
  ),
  ...uses(
    'written',
    'writeFile',
    'writeFileSync',
    'appendFile',
    'appendFileSync',
    'createWriteStream',
    'file_put_contents',
    'truncateSync',
    'outputFileSync',
    'makedirs',
    'mkdirSync',
  ),
  ...uses('read', 'readFile', 'readFileSync', 'createReadStream', 'file_get_contents', 'read_csv'),
  ...moves('deleted', 'rename', 'renameSync', 'move', 'replace_file'),
  ...moves(
    'read',
    'copyFile',
    'copyFileSync',
    'cpSync',
    'copytree',
    'copy2',
    'copyfile',
    'symlinkSync',
  ),
  ['open', [{ use: 'read', index: 0, mode: 1 }]],
  ['openSync', [{ use: 'read', index: 0, mode: 1 }]],
  ['unlink', [{ use: 'deleted', index: 0 }]],
])
