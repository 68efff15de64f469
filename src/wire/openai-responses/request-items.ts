/**
 * The items of a request to turns. Items are a flat list: what the assistant said, thought and called in a
 * row is one turn of its, what tools gave back is one of the user's. Neighbours: `request-read.ts` asks,
 * `items.ts` knows calls, `request-parts.ts` content, `request-outputs.ts` what tools gave back. Does not
 * know what is stored: an item that is only named was put in its place before, or stays a name.
 */
import { isObject, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { ToolDialect } from '../../event/block.ts'
import type { OpaquePart, Part, TextPart, ThinkingPart } from '../../request/part.ts'
import type { Effort, Turn } from '../../request/request.ts'
import type { Tool } from '../../request/tool.ts'
import { unseal } from '../envelope.ts'
import { argumentsOf, readItem, thoughtsOf } from './items.ts'
import { NAME } from './json.ts'
import { toEffort } from './request-effort.ts'
import type { Notes } from './request-notes.ts'
import { outputDialect, readOutput } from './request-outputs.ts'
import { readContent } from './request-parts.ts'
import { readTools } from './request-tools.ts'

export interface ReadItems {
  /** The system messages before the conversation. */
  readonly system: readonly TextPart[]
  readonly turns: readonly Turn[]
  /** Tools that came as items. */
  readonly tools: readonly Tool[]
  /** The last word on it. */
  readonly effort: Effort | undefined
}

interface GrowingTurn {
  readonly role: Turn['role']
  readonly parts: Part[]
  /** Only of a turn that is one message. */
  vendor: JsonObject | undefined
}

export function readItems(items: readonly unknown[], notes: Notes): ReadItems {
  const system: TextPart[] = []
  const turns: GrowingTurn[] = []
  const tools: Tool[] = []
  /** Calls by the id that their outputs name. */
  const calls = new Map<string, { readonly id: string; readonly dialect: ToolDialect }>()
  let effort: Effort | undefined
  let isLeading = true
  /** The turn that outputs are being added to. */
  let outputs: GrowingTurn | undefined

  function add(role: Turn['role'], parts: readonly Part[], vendor?: JsonObject): GrowingTurn {
    const turn = { role, parts: [...parts], vendor }
    turns.push(turn)
    return turn
  }

  function addSaid(parts: readonly Part[], vendor?: JsonObject): void {
    const last = turns.at(-1)
    if (last?.role !== 'assistant') return void add('assistant', parts, vendor)
    // One by one: a call takes no hundred thousand arguments, and a request may have as many parts.
    for (const part of parts) last.parts.push(part)
    last.vendor = undefined
  }

  function addGiven(part: Part): void {
    if (outputs !== undefined && outputs === turns.at(-1)) outputs.parts.push(part)
    else outputs = add('user', [part])
  }

  function addTools(item: JsonObject, path: string): void {
    for (const tool of readTools(item['tools'], `${path}.tools`, notes)) tools.push(tool)
  }

  function readMessage(item: JsonObject, path: string): void {
    const role = toText(item['role'])
    const parts = readContent(item['content'], `${path}.content`, notes)
    if (role === 'assistant') return addSaid(parts, item)
    if (role === 'user') return void add('user', parts, item)
    if (role !== 'system' && role !== 'developer')
      return notes.fail(
        `${path}.role`,
        'Cannot read this message: its role must be "user", "assistant", "system" or "developer"',
      )
    const texts = parts.filter((part) => part.type === 'text')
    if (!isLeading || texts.length < parts.length) return void add('system', parts, item)
    for (const part of texts) system.push(part)
  }

  function readCall(item: JsonObject, at: number): void {
    const info = readItem(item, at)
    // What the provider ran itself, or nobody knows: its own wire can say it again.
    if (info.type !== 'tool-call' || info.dialect === 'unknown') return addSaid([toOpaque(item)])
    const { id, name, dialect, namespace } = info
    calls.set(id, { id, dialect })
    // An output of the local shell names the item and not the call.
    const itemId = toText(item['id'])
    if (itemId !== undefined && !calls.has(itemId)) calls.set(itemId, { id, dialect })
    addSaid([
      {
        type: 'tool-call',
        id,
        name,
        ...(namespace === undefined ? {} : { namespace }),
        dialect,
        arguments: argumentsOf(item),
        vendor: item,
      },
    ])
  }

  function readGiven(item: JsonObject, path: string, dialect: ToolDialect): void {
    const named = toText(item['call_id']) ?? toText(item['id'])
    if (named === undefined)
      return notes.fail(
        `${path}.call_id`,
        'Cannot tell which call this output answers: give it the "call_id" of the call',
      )
    const call = calls.get(named)
    addGiven({
      type: 'tool-result',
      callId: call?.id ?? named,
      dialect: call?.dialect ?? dialect,
      ...readOutput(item, path, notes),
      vendor: item,
    })
  }

  function read(item: JsonObject, at: number): void {
    const path = `input[${at}]`
    const type = toText(item['type']) ?? (item['role'] === undefined ? '' : 'message')
    const dialect = outputDialect(type)
    if (type === 'message') return readMessage(item, path)
    if (dialect !== undefined) return readGiven(item, path, dialect)
    switch (type) {
      case '':
        return notes.fail(path, 'Cannot read this item: give it a "type" or a "role"')
      case 'reasoning':
        return addSaid([readThinking(item)])
      case 'additional_tools':
        return addTools(item, path)
      case 'tool_search_output':
        addTools(item, path)
        return addGiven(toOpaque(item))
      case 'configuration_update': {
        const said = toEffort(toObject(item['reasoning'])?.['effort'] ?? item['effort'])
        if (said === undefined) notes.lose('input.configuration_update')
        effort = said ?? effort
        return
      }
      case 'agent_message':
        return void add('user', readAgentMessage(item, path), item)
      case 'compaction':
      case 'compaction_summary':
      case 'compaction_trigger':
        return notes.need(
          path,
          `Cannot use "${type}" here: only the provider that compacts a history can read it, so send the history itself`,
        )
      default:
        if (type.endsWith('_call')) return readCall(item, at)
        if (/_(?:output|response)$/.test(type)) return addGiven(toOpaque(item))
        return addSaid([toOpaque(item)])
    }
  }

  function readAgentMessage(item: JsonObject, path: string): readonly Part[] {
    const author = toText(item['author']) ?? 'another agent'
    const head: TextPart = { type: 'text', text: `Message from agent "${author}":` }
    return [head, ...readContent(item['content'], `${path}.content`, notes)]
  }

  for (const [at, item] of items.entries()) {
    if (!isObject(item)) {
      notes.fail(`input[${at}]`, 'Cannot read this item: send an object with a "type"')
      break
    }
    const before = turns.length
    read(item, at)
    if (turns.length > before) isLeading = false
  }
  return { system, turns: turns.map(toTurn), tools, effort }
}

const toTurn = ({ role, parts, vendor }: GrowingTurn): Turn =>
  vendor === undefined ? { role, parts } : { role, parts, vendor }

/** Thinking that another wire's model sealed comes in an envelope of ours; else it is the vendor's own. */
function readThinking(item: JsonObject): ThinkingPart {
  const encrypted = toText(item['encrypted_content'])
  const sealed = unseal(encrypted)
  const base = { type: 'thinking', vendor: item } as const
  if (sealed === undefined)
    return {
      ...base,
      text: thoughtsOf(item),
      seal: {
        wire: NAME,
        ...(encrypted === undefined ? {} : { signature: encrypted }),
        item,
      },
    }
  const { wire, issuer, text, signature, redacted } = sealed
  return {
    ...base,
    text,
    seal: {
      wire,
      ...(issuer === undefined ? {} : { issuer }),
      ...(signature === undefined ? {} : { signature }),
      ...(redacted === true ? { isRedacted: true } : {}),
      ...(sealed.item === undefined ? {} : { item: sealed.item }),
    },
  }
}

function toOpaque(item: JsonObject): OpaquePart {
  const type = toText(item['type']) ?? ''
  const text = type === 'mcp_call' ? toWords(item) : undefined
  return { type: 'opaque', what: type, vendor: item, ...(text === undefined ? {} : { text }) }
}

/** What a remote tool gave back is known to nobody else, and the model may rely on it. */
function toWords(item: JsonObject): string | undefined {
  const output = toText(item['output']) ?? toText(item['error'])
  const name = toText(item['name'])
  if (output === undefined || name === undefined) return undefined
  const given = toText(item['arguments']) ?? '{}'
  return `[Called the tool "${name}" with ${given}. It gave back: ${output}]`
}
