/**
 * Arguments of a call while a person edits them: text → what would be sent, or what is wrong with it. Pure. Neighbours:
 * `edit-form.tsx` shows it, `schema-check.ts` knows the tool's schema; the gateway checks once more.
 */
import type { TicketSummary } from '../../src/approvals/ticket.ts'
import { losesDigits } from '../../src/base/json-exact.ts'
import { isObject, parseObject, type JsonObject } from '../../src/base/json.ts'
import { showHidden } from '../blocks/plain.ts'
import { checkSchema } from './schema-check.ts'

type Edited =
  | { readonly type: 'right'; readonly args: JsonObject | string }
  | { readonly type: 'wrong'; readonly faults: readonly string[] }

interface Tool {
  readonly isFreeText: boolean
  /** Where the client declared one. */
  readonly schema?: unknown
}

export function readEdited(text: string, { isFreeText, schema }: Tool): Edited {
  if (isFreeText)
    return text.trim() === ''
      ? { type: 'wrong', faults: ['The text is empty'] }
      : { type: 'right', args: text }
  const read = parse(text)
  if ('fault' in read) return { type: 'wrong', faults: [read.fault] }
  if (losesDigits(text))
    return {
      type: 'wrong',
      faults: ['A number has more digits than would arrive: write it as text'],
    }
  const faults = checkSchema(schema, read.args)
  return faults.length === 0 ? { type: 'right', args: read.args } : { type: 'wrong', faults }
}

function parse(text: string): { readonly args: JsonObject } | { readonly fault: string } {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? { args: value } : { fault: 'Arguments are an object: { "name": … }' }
  } catch (error) {
    return { fault: `This is no JSON: ${error instanceof Error ? error.message : 'unreadable'}` }
  }
}

/** On lines of its own where it is JSON whose numbers survive; as it came otherwise. */
export function toPretty(content: string): string {
  const args = parseObject(content)
  return args === undefined || losesDigits(content) ? content : writeArguments(args)
}

/** JSON says hidden characters by their numbers: in a field they would be there and not be seen. */
export const writeArguments = (args: JsonObject | string): string =>
  typeof args === 'string'
    ? args
    : JSON.stringify(args, undefined, 2).replaceAll(HIDDEN, (found) =>
        [...Array(found.length).keys()]
          .map((at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`)
          .join(''),
      )

const HIDDEN =
  /[\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|[\u{E0000}-\u{E007F}]/gu

/** Where a shell's command stands in its arguments: `command`, or the last word of `["bash", "-lc", "…"]`. */
interface CommandPlace {
  readonly key: string
  readonly at?: number
  readonly text: string
}

const KEYS = ['command', 'cmd', 'script']

export function findCommand(text: string): CommandPlace | undefined {
  const found = lookForCommand(text)
  // What is hidden in it would be hidden in a plain field, too.
  return found === undefined || showHidden(found.text) !== found.text ? undefined : found
}

function lookForCommand(text: string): CommandPlace | undefined {
  const args = parseObject(text)
  if (args === undefined) return undefined
  for (const key of KEYS) {
    const value = args[key]
    if (typeof value === 'string') return { key, text: value }
    if (!Array.isArray(value)) continue
    const words: readonly unknown[] = value
    const last = words[2]
    if (words.length === 3 && /^-l?c$/.test(String(words[1])) && typeof last === 'string')
      return { key, at: 2, text: last }
  }
  return undefined
}

/** What a line of a list shows of a call: the command of a shell, the arguments otherwise. */
export const previewOf = ({ call }: Pick<TicketSummary, 'call'>): string =>
  findCommand(call.preview)?.text ?? call.preview

/** The same arguments with another command. */
export function withCommand(text: string, { key, at }: CommandPlace, command: string): string {
  const args = parseObject(text) ?? {}
  const before: unknown = args[key]
  const value =
    at === undefined || !Array.isArray(before)
      ? command
      : before.map((word: unknown, place) => (place === at ? command : word))
  return writeArguments({ ...args, [key]: value })
}
