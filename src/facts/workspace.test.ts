import { expect, test } from 'vitest'
import type { Turn } from '../request/request.ts'
import { findWorkspace } from './workspace.ts'

const system = (text: string): string | undefined =>
  findWorkspace({ system: [{ type: 'text', text }], turns: [] })

test.each([
  [
    'Claude Code',
    'You are …\n<env>\nWorking directory: /home/u/app\nIs directory a git repo: Yes\n</env>',
    '/home/u/app',
  ],
  [
    'Claude Code today',
    '# Environment\nYou have been invoked in the following environment: \n - Primary working directory: /home/u/my app\n - Is a git repository: true',
    '/home/u/my app',
  ],
  [
    'Claude Code on Windows',
    ' - Primary working directory: C:\\Users\\me\\app\n',
    'C:\\Users\\me\\app',
  ],
  [
    'opencode',
    '<env>\n  Working directory: /home/u/app\n  Workspace root folder: /home/u\n</env>',
    '/home/u/app',
  ],
  [
    'qwen and gemini',
    "This is the setup.\nI'm currently working in the directory: /workspaces/x\nHere is",
    '/workspaces/x',
  ],
  [
    'gemini with several',
    "I'm currently working in the following directories:\n  - /a/b\n  - /c",
    '/a/b',
  ],
  ['pi', 'Current date: today\nCurrent working directory: /home/u/app', '/home/u/app'],
  ['Cline', '# Current Working Directory (/home/u/app) Files\nx', '/home/u/app'],
  ['Cursor', 'Workspace Path: /home/u/app\n', '/home/u/app'],
])('finds the folder of %s', (_, text, folder) => {
  expect(system(text)).toBe(folder)
})

test('finds the folder that Codex and Claude Code tell in a turn', () => {
  const turns: readonly Turn[] = [
    { role: 'assistant', parts: [{ type: 'text', text: 'Working directory: /not/mine' }] },
    {
      role: 'user',
      parts: [
        {
          type: 'text',
          text: '<environment_context>\n  <cwd>/home/u/app</cwd>\n  <shell>bash</shell>\n</environment_context>',
        },
      ],
    },
  ]
  expect(findWorkspace({ system: [], turns })).toBe('/home/u/app')
})

test('takes nothing for a folder that is none', () => {
  expect(system('Working directory: unknown\nCurrent working directory: ${cwd}')).toBeUndefined()
  expect(system('İ Working directory: /x')).toBe('/x')
  expect(findWorkspace({ system: [], turns: [] })).toBeUndefined()
})
