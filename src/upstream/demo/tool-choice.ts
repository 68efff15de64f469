/**
 * The words of a prompt to the declared tool that fits them best. Neighbours: `words.ts`, `tools.ts`;
 * `scripts.ts` asks. Real agents declare a dozen tools under names of their own, so tools are told apart
 * by what their names say.
 */
import type { ToolChoice } from './asked.ts'
import type { DemoTool } from './tools.ts'
import type { Words } from './words.ts'

type ToolKind = 'shell' | 'read' | 'write' | 'edit' | 'list' | 'search' | 'weather'

/** By name, in lower case and without anything but letters and digits. */
const KINDS: Readonly<Record<ToolKind, RegExp>> = {
  shell:
    /^(?:bash|sh|shell|powershell|terminal|localshell|exec|execcommand|runcommand|runshellcommand|executecommand|runterminalcmd|runinterminal|containerexec)$/,
  read: /^(?:read|view|cat|openfile|readfile|readtextfile|viewfile|getfile|strreplacebasededittool)$/,
  write: /^(?:write|writefile|createfile|savefile|writetofile)$/,
  edit: /^(?:edit|editfile|multiedit|replace|strreplace|replaceinfile|applypatch)$/,
  list: /^(?:ls|list|listdir|listdirectory|listfiles|glob)$/,
  // A search for further tools loads them, and finds nothing a person asked for.
  search: /^(?!toolsearch$).*(?:search|grep|find)/,
  weather: /weather|forecast/,
}

/** Words that ask for something to be done, and which tools do it, the best first. */
const DOING: Readonly<Record<string, readonly ToolKind[]>> = {
  weather: ['weather', 'search', 'shell'],
  forecast: ['weather', 'search', 'shell'],
  read: ['read', 'shell'],
  open: ['read', 'shell'],
  show: ['read', 'shell'],
  view: ['read', 'shell'],
  write: ['write', 'shell'],
  create: ['write', 'shell'],
  save: ['write', 'shell'],
  edit: ['edit', 'shell'],
  change: ['edit', 'shell'],
  replace: ['edit', 'shell'],
  list: ['list', 'shell'],
  search: ['search', 'shell'],
  find: ['search', 'shell'],
  grep: ['search', 'shell'],
  run: ['shell'],
  execute: ['shell'],
  delete: ['shell'],
  remove: ['shell'],
  install: ['shell'],
  build: ['shell'],
  test: ['shell'],
  check: ['shell'],
  print: ['shell'],
  echo: ['shell'],
  get: [],
  fetch: [],
  call: [],
  use: [],
  add: [],
  compute: [],
  calculate: [],
}

/** Whether the words ask for something to be done. */
export const asksForDoing = (words: Words): boolean =>
  Object.keys(DOING).some((word) => words.has(word))

/** The tool that fits best; `undefined` when there is none. */
export function pickTool(
  tools: readonly DemoTool[],
  words: Words,
  choice: ToolChoice,
): DemoTool | undefined {
  if (choice.type === 'named') {
    const named = findTool(tools, choice.name)
    if (named !== undefined) return named
  }
  return (
    tools.find((tool) => words.tokens.has(tool.name)) ??
    tools.find((tool) => saysName(words, tool)) ??
    toolFor(tools, words) ??
    shellOf(tools) ??
    tools[0]
  )
}

/** The first tool that runs commands. */
export const shellOf = (tools: readonly DemoTool[]): DemoTool | undefined =>
  tools.find((tool) => isOf(tool, 'shell'))

export const isShell = (tool: DemoTool): boolean => isOf(tool, 'shell')

/** By its name, with or without its namespace. */
export const findTool = (tools: readonly DemoTool[], name: string): DemoTool | undefined =>
  tools.find((tool) => tool.name === name) ??
  tools.find((tool) => tool.namespace !== undefined && `${tool.namespace}.${tool.name}` === name)

const isOf = (tool: DemoTool, kind: ToolKind): boolean =>
  KINDS[kind].test(
    tool.name
      .slice(0, 100)
      .toLowerCase()
      .replace(/[^a-z0-9]/g, ''),
  )

function toolFor(tools: readonly DemoTool[], words: Words): DemoTool | undefined {
  for (const [word, kinds] of Object.entries(DOING)) {
    if (!words.has(word)) continue
    for (const kind of kinds) {
      const tool = tools.find((one) => isOf(one, kind))
      if (tool !== undefined) return tool
    }
  }
  return undefined
}

/** Whether the prompt has all words of a name such as `delete_user` or `deleteUser`. */
function saysName(words: Words, tool: DemoTool): boolean {
  const parts = tool.name
    .slice(0, 100)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '')
  return parts.length > 1 && parts.every((part) => words.has(part))
}
