import { describe, expect, test } from 'vitest'
import { readFacts, type FactCall } from './read-facts.ts'

const WORKSPACE = '/home/u/app'

const call = (
  name: string,
  args: Record<string, unknown>,
  more: Partial<FactCall> = {},
): FactCall => ({
  name,
  dialect: 'function',
  args,
  arguments: JSON.stringify(args),
  ...more,
})

const free = (name: string, text: string, namespace?: string): FactCall => ({
  name,
  dialect: 'custom',
  args: undefined,
  arguments: text,
  namespace,
})

const PATCH =
  '*** Begin Patch\n*** Add File: a.txt\n+x\n*** Update File: b.txt\n*** Move to: c.txt\n@@\n-x\n+y\n*** Delete File: d.txt\n*** End Patch'

/** What clients really send when they run `rm -rf build`. */
const SHELLS: readonly (readonly [string, FactCall])[] = [
  ['Claude Code', call('Bash', { command: 'rm -rf build', description: 'Clean', timeout: 1000 })],
  [
    'Claude Code, in the background',
    call('Bash', { command: 'rm -rf build', run_in_background: true }),
  ],
  ["Anthropic's bash tool", call('bash', { command: 'rm -rf build', restart: false })],
  ['Codex exec_command', call('exec_command', { cmd: 'rm -rf build', workdir: WORKSPACE })],
  [
    'Codex shell',
    call('shell', { command: ['bash', '-lc', 'rm -rf build'], workdir: '/home/u/app' }),
  ],
  ['Codex shell without a shell', call('shell', { command: ['rm', '-rf', 'build'] })],
  ['Codex shell_command', call('shell_command', { command: 'rm -rf build', workdir: '.' })],
  ['Codex container.exec', call('container.exec', { cmd: ['bash', '-lc', 'rm -rf build'] })],
  [
    'Codex local_shell',
    call(
      'local_shell',
      { type: 'exec', command: ['bash', '-lc', 'rm -rf build'], env: {} },
      { dialect: 'local-shell' },
    ),
  ],
  ['Codex write_stdin', call('write_stdin', { session_id: 1, chars: 'rm -rf build\n' })],
  [
    'Codex exec',
    free(
      'exec',
      'const r = await tools.exec_command({"cmd":"rm -rf build"});\ntext(r.output);',
      'functions',
    ),
  ],
  [
    'Codex exec with a variable',
    free(
      'exec',
      "const cmd = 'rm -rf build'\nawait tools.exec_command({ cmd, yield_time_ms: 1000 })",
      'functions',
    ),
  ],
  [
    'Codex exec with several',
    free(
      'exec',
      "await Promise.all(['a'].map(() => tools.exec_command({ cmd: `ls` })));\nawait tools.exec_command({cmd: 'rm ' + '-rf build', workdir: '/home/u/app'})",
      'functions',
    ),
  ],
  [
    'OpenAI shell',
    call('shell', { commands: ['ls', 'rm -rf build'], timeout_ms: null }, { dialect: 'shell' }),
  ],
  [
    'OpenAI shell with its field',
    call('shell', { action: { commands: ['rm -rf build'] } }, { dialect: 'shell' }),
  ],
  ['opencode', call('bash', { command: 'rm -rf build', description: 'Clean' })],
  [
    'qwen and gemini',
    call('run_shell_command', { command: 'rm -rf build', directory: '/home/u/app' }),
  ],
  ['pi', call('bash', { command: 'rm -rf build', timeout: 10 })],
  ['Cline', call('execute_command', { command: 'rm -rf build', requires_approval: 'false' })],
  ['Cursor', call('run_terminal_cmd', { command: 'rm -rf build', is_background: false })],
  ['Copilot', call('run_in_terminal', { command: 'rm -rf build', explanation: 'Clean' })],
  ['LangChain ShellTool', call('terminal', { commands: ['rm -rf build'] })],
  ['LangChain ShellTool with one', call('terminal', { commands: 'rm -rf build' })],
  [
    'an MCP server',
    call('mcp__desktop__start_process', { command: 'rm -rf build', timeout_ms: 1 }),
  ],
  ['a name nobody knows', call('do_it_for_me', { cmd: 'rm -rf build' })],
  ['a name nobody knows, with a list', call('launch', { command: ['rm', '-rf', 'build'] })],
  ['arguments in one field', call('Bash', { input: { command: 'rm -rf build' } })],
  ['a free-text shell', free('shell', 'rm -rf build')],
  ['OpenHands', call('execute_bash', { command: 'rm -rf build', is_input: 'false' })],
  ['a python tool', call('python', { code: 'import os\nos.system("rm -rf build")' })],
]

describe('shells of all clients', () => {
  test.each(SHELLS)('reads the command of %s', (_, made) => {
    const { shell, files } = readFacts(made, { workspace: WORKSPACE })
    const found = shell.commands.find(({ name }) => name === 'rm')
    expect(found).toMatchObject({
      name: 'rm',
      args: ['-rf', 'build'],
      paths: ['/home/u/app/build'],
    })
    expect(shell).toMatchObject({ isUsed: true, isParsed: true, isOpaque: false })
    expect(files.deleted).toEqual(['/home/u/app/build'])
  })
})

type Files = {
  readonly read?: readonly string[]
  readonly written?: readonly string[]
  readonly deleted?: readonly string[]
}

const FILES: readonly (readonly [string, FactCall, Files])[] = [
  [
    'Claude Code Read',
    call('Read', { file_path: '/etc/passwd', limit: 5 }),
    { read: ['/etc/passwd'] },
  ],
  [
    'Claude Code Write',
    call('Write', { file_path: '/home/u/app/x.ts', content: 'rm -rf /' }),
    { written: ['/home/u/app/x.ts'] },
  ],
  [
    'Claude Code Edit',
    call('Edit', { file_path: 'x.ts', old_string: 'a', new_string: 'b' }),
    { written: ['/home/u/app/x.ts'] },
  ],
  [
    'Claude Code MultiEdit',
    call('MultiEdit', { file_path: 'x.ts', edits: [{ old_string: 'a', new_string: 'b' }] }),
    { written: ['/home/u/app/x.ts'] },
  ],
  [
    'Claude Code NotebookEdit',
    call('NotebookEdit', { notebook_path: 'x.ipynb', new_source: 'a' }),
    { written: ['/home/u/app/x.ipynb'] },
  ],
  [
    'Claude Code Glob',
    call('Glob', { pattern: '**/*.ts', path: '/home/u' }),
    { read: ['/home/u'] },
  ],
  ['Claude Code Grep', call('Grep', { pattern: 'x', path: 'src' }), { read: ['/home/u/app/src'] }],
  ['Claude Code KillShell', call('KillShell', { shell_id: 'rm' }), {}],
  [
    'Codex apply_patch',
    free('apply_patch', PATCH),
    {
      written: ['/home/u/app/a.txt', '/home/u/app/b.txt', '/home/u/app/c.txt'],
      deleted: ['/home/u/app/b.txt', '/home/u/app/d.txt'],
    },
  ],
  [
    'apply_patch as a function',
    call('apply_patch', { input: PATCH }),
    {
      written: ['/home/u/app/a.txt', '/home/u/app/b.txt', '/home/u/app/c.txt'],
      deleted: ['/home/u/app/b.txt', '/home/u/app/d.txt'],
    },
  ],
  [
    'apply_patch in a shell',
    call('shell', { command: ['bash', '-lc', `apply_patch <<'EOF'\n${PATCH}\nEOF\n`] }),
    {
      written: ['/home/u/app/a.txt', '/home/u/app/b.txt', '/home/u/app/c.txt'],
      deleted: ['/home/u/app/b.txt', '/home/u/app/d.txt'],
    },
  ],
  [
    'apply_patch as a command',
    call('shell', { command: ['apply_patch', PATCH] }),
    {
      written: ['/home/u/app/a.txt', '/home/u/app/b.txt', '/home/u/app/c.txt'],
      deleted: ['/home/u/app/b.txt', '/home/u/app/d.txt'],
    },
  ],
  [
    'apply_patch in a script',
    free('exec', `await tools.apply_patch(\`${PATCH}\`)`, 'functions'),
    {
      written: ['/home/u/app/a.txt', '/home/u/app/b.txt', '/home/u/app/c.txt'],
      deleted: ['/home/u/app/b.txt', '/home/u/app/d.txt'],
    },
  ],
  [
    'OpenAI apply_patch',
    call('apply_patch', { type: 'delete_file', path: 'x' }, { dialect: 'apply-patch' }),
    { deleted: ['/home/u/app/x'] },
  ],
  [
    'OpenAI apply_patch, update',
    call('apply_patch', { type: 'update_file', path: 'x', diff: '@@' }, { dialect: 'apply-patch' }),
    { written: ['/home/u/app/x'] },
  ],
  [
    'opencode write',
    call('write', { filePath: '/home/u/app/x', content: 'a' }),
    { written: ['/home/u/app/x'] },
  ],
  [
    'opencode edit',
    call('edit', { filePath: 'x', oldString: 'a', newString: 'b' }),
    { written: ['/home/u/app/x'] },
  ],
  ['opencode read', call('read', { filePath: '.env' }), { read: ['/home/u/app/.env'] }],
  [
    'opencode patch',
    call('patch', { patchText: PATCH }),
    {
      written: ['/home/u/app/a.txt', '/home/u/app/b.txt', '/home/u/app/c.txt'],
      deleted: ['/home/u/app/b.txt', '/home/u/app/d.txt'],
    },
  ],
  [
    'qwen write_file',
    call('write_file', { file_path: '/home/u/app/x', content: '' }),
    { written: ['/home/u/app/x'] },
  ],
  [
    'qwen replace',
    call('replace', { file_path: 'x', old_string: 'a', new_string: 'b' }),
    { written: ['/home/u/app/x'] },
  ],
  [
    'qwen read_file',
    call('read_file', { absolute_path: '/etc/passwd' }),
    { read: ['/etc/passwd'] },
  ],
  [
    'gemini read_many_files',
    call('read_many_files', { paths: ['a', 'b/c'] }),
    { read: ['/home/u/app/a', '/home/u/app/b/c'] },
  ],
  [
    'str_replace_editor view',
    call('str_replace_editor', { command: 'view', path: '/etc' }),
    { read: ['/etc'] },
  ],
  [
    'str_replace_based_edit_tool create',
    call('str_replace_based_edit_tool', { command: 'create', path: 'x', file_text: 'rm' }),
    { written: ['/home/u/app/x'] },
  ],
  [
    "Anthropic's memory tool",
    call('memory', { command: 'delete', path: '/memories/a' }),
    { deleted: ['/memories/a'] },
  ],
  [
    'a memory that is renamed',
    call('memory', { command: 'rename', old_path: '/memories/a', new_path: '/memories/b' }),
    { written: ['/memories/b'], deleted: ['/memories/a'] },
  ],
  [
    'MCP move_file',
    call('mcp__filesystem__move_file', { source: 'a', destination: 'b' }),
    { written: ['/home/u/app/b'], deleted: ['/home/u/app/a'] },
  ],
  [
    'MCP write_file',
    call('filesystem.write_file', { path: 'a', content: '' }),
    { written: ['/home/u/app/a'] },
  ],
  ['MCP edit_file', call('edit_file', { path: 'a', edits: [] }), { written: ['/home/u/app/a'] }],
  [
    'MCP read_multiple_files',
    call('read_multiple_files', { paths: ['a'] }),
    { read: ['/home/u/app/a'] },
  ],
  ['Cursor delete_file', call('delete_file', { target_file: 'a' }), { deleted: ['/home/u/app/a'] }],
  [
    'an unknown editor',
    call('acme_editor', { command: 'create', path: 'a', file_text: '' }),
    { written: ['/home/u/app/a'] },
  ],
  ['an unknown writer', call('acme', { path: 'a', content: 'x' }), { written: ['/home/u/app/a'] }],
  ['an unknown reader', call('acme', { path: 'a' }), { read: ['/home/u/app/a'] }],
  ['an unknown remover', call('acme_remove_thing', { path: 'a' }), { deleted: ['/home/u/app/a'] }],
  [
    'an unknown patcher',
    call('acme', { diff: '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ /dev/null\n' }),
    { written: ['/home/u/app/x'], deleted: ['/home/u/app/y'] },
  ],
  ['a file address', call('Read', { file_path: 'file:///etc/passwd' }), { read: ['/etc/passwd'] }],
]

describe('file tools of all clients', () => {
  test.each(FILES)('reads the files of %s', (_, made, files) => {
    const found = readFacts(made, { workspace: WORKSPACE })
    expect(found.files).toMatchObject({
      read: files.read ?? [],
      written: files.written ?? [],
      deleted: files.deleted ?? [],
    })
  })
})
