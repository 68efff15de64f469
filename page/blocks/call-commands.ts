/** The commands of a shell call, from a text, from words, or from several of them. Neighbours: `call-shape.ts`. */
import type { Picker } from './argument-picker.ts'

export interface Command {
  readonly text: string
  /** The shell around it, where words named one: `bash -lc`. */
  readonly shell?: string | undefined
  /** It is `apply_patch` with this patch. */
  readonly patch?: string | undefined
}

const KEYS = ['command', 'cmd', 'commandline', 'shellcommand', 'bashcommand', 'script', 'chars']

export function readCommands(picker: Picker): readonly Command[] | undefined {
  const several = picker.list('commands')
  if (several !== undefined && several.length > 0 && several.every(isText))
    return several.map((text) => ({ text }))
  const words = picker.list('command', 'cmd', 'argv', 'args')
  if (words !== undefined && words.length > 0 && words.every(isText)) return [fromWords(words)]
  const text = picker.text(...KEYS)
  return text === undefined ? undefined : [{ text }]
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** `["bash", "-lc", "ls"]` is read as what it runs. */
function fromWords(words: readonly string[]): Command {
  const [program = '', flag = '', script] = words
  if (words.length === 2 && /^apply_?patch$/.test(program)) return { text: flag, patch: flag }
  const isShell = /(?:^|\/)(?:ba|z|da|k|)sh$|^(?:powershell|pwsh|cmd)(?:\.exe)?$/i.test(program)
  return isShell && /^[-/]\w+$/.test(flag) && script !== undefined && words.length === 3
    ? { text: script, shell: `${program} ${flag}` }
    : { text: words.map(quote).join(' ') }
}

/** As it would be typed. */
const quote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
