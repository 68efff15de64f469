/**
 * A prompt to what it asks of the demo: its words, the commands and calls it quotes, a city, a path, a
 * number of steps. Neighbours: `scripts.ts` and `tool-choice.ts` decide by it. Knows no wire. The expensive
 * looks are at the beginning and the end of a prompt only: somebody may paste a file.
 */

export interface Words {
  /** In lower case, outside of backticks. */
  has(word: string): boolean
  /** As they were written. */
  readonly tokens: ReadonlySet<string>
  /** What stands in backticks behind `call NAME`. */
  readonly calls: readonly { readonly name: string; readonly text: string }[]
  /** What else stands in backticks. */
  readonly commands: readonly string[]
  /** The number of "loop 3 times" or "3 steps". */
  readonly steps: number | undefined
  readonly city: string | undefined
  readonly path: string | undefined
}

const QUOTED = /(`{1,3})([^`]+)\1/g
const CALL = /(?<![\w-])call\s+([\w.:/-]{1,128})\s*$/i
/** How far before a quotation its `call NAME` may begin. */
const REACH = 200
/** How much of each end of a prompt is looked at for words. */
const NEAR = 2000
const MAX_STEPS = 50

export function readWords(prompt: string): Words {
  const calls: { name: string; text: string }[] = []
  const commands: string[] = []
  for (const match of prompt.matchAll(QUOTED)) {
    const name = CALL.exec(prompt.slice(Math.max(0, match.index - REACH), match.index))?.[1]
    const text = unfence(match[2] ?? '', match[1] === '```')
    if (name !== undefined) calls.push({ name, text })
    else if (text !== '') commands.push(text)
  }
  const near = nearOf(prompt.replace(QUOTED, ' '))
  const tokens = new Set(near.split(/[^\p{L}\p{N}_-]+/u))
  const lower = new Set([...tokens].map((token) => token.toLowerCase()))
  return {
    has: (word) => lower.has(word),
    tokens,
    calls,
    commands,
    steps: stepsOf(near),
    city: cityOf(near),
    path: pathOf(near),
  }
}

const nearOf = (text: string): string =>
  text.length <= 2 * NEAR ? text : `${text.slice(0, NEAR)}\n${text.slice(-NEAR)}`

/** A fenced block may name its language on its first line. */
const unfence = (text: string, isFence: boolean): string =>
  (isFence ? text.replace(/^[a-z]{0,20}\n/i, '') : text).trim()

function stepsOf(text: string): number | undefined {
  const found = /\bloop\s{1,5}(\d{1,3})\b|\b(\d{1,3})\s{1,5}steps?\b/i.exec(text)
  const number = Number(found?.[1] ?? found?.[2])
  return Number.isInteger(number) ? Math.min(Math.max(number, 1), MAX_STEPS) : undefined
}

function cityOf(text: string): string | undefined {
  const name =
    /(?:^|\s)(?:in|at|for)\s(\p{Lu}[\p{L}'-]{1,30}(?:\s\p{Lu}[\p{L}'-]{1,30}){0,2})/u.exec(text)
  if (name?.[1] !== undefined) return name[1]
  const lower = /\bweather\s(?:in|at|for)\s(\p{L}{2,30})/iu.exec(text)?.[1]
  return lower === undefined ? undefined : lower.charAt(0).toUpperCase() + lower.slice(1)
}

function pathOf(text: string): string | undefined {
  const found =
    /(?<![\w/.:])(?:\.{0,2}\/[\w@-][\w.@/-]{0,200}|[\w-]{1,80}\.(?:md|txt|[cm]?[jt]sx?|json|py|ya?ml|toml|html|css|sh|rs|go|csv))(?![\w/])/.exec(
      text,
    )?.[0]
  return found?.replace(/[.,]+$/, '')
}
