/**
 * Turns to input items. Items of other wires get no `id` of their own: the vendor checks the prefix and
 * looks it up. Neighbours: `request-write.ts` asks; `request-write-parts.ts` writes content. What is written
 * of a turn depends on it and on what stands before, so that a conversation which grows keeps its beginning.
 */
import type { JsonObject } from '../../base/json.ts'
import type { ToolDialect } from '../../event/block.ts'
import type { CallNames } from '../../request/call-names.ts'
import type { Part, Seal, TextPart, ThinkingPart, ToolResultPart } from '../../request/part.ts'
import type { Turn } from '../../request/request.ts'
import type { WriteOptions } from '../../request/write.ts'
import { ANY_ID, ToolIds } from '../ids.ts'
import { NAME } from './json.ts'
import { ERROR_PREFIX } from './request-outputs.ts'
import { writeContent, writeOpaque, type Writing } from './request-write-parts.ts'

export interface ItemsWriting extends Writing {
  readonly names: CallNames
  readonly options: Pick<WriteOptions, 'issuer' | 'recall'>
}

export function writeItems(turns: readonly Turn[], writing: ItemsWriting): readonly JsonObject[] {
  const assistant = createAssistantWriter(writing)
  const items = turns.flatMap((turn) => {
    switch (turn.role) {
      case 'system':
        return writeMessage(writing.profile.systemRole, turn.parts, writing)
      case 'user':
        return [
          ...turn.parts.flatMap((part) =>
            part.type === 'tool-result' ? [writeOutput(part, assistant.callIdOf, writing)] : [],
          ),
          ...writeMessage('user', turn.parts, writing),
        ]
      case 'assistant':
        return assistant.write(turn)
    }
  })
  return withoutLonely(items)
}

/** None where there is nothing to say: the vendor refuses an empty message. */
export function writeMessage(
  role: 'user' | 'system' | 'developer',
  parts: readonly Part[],
  writing: Writing,
): readonly JsonObject[] {
  const content = writeContent(parts, writing)
  return content.length === 0 ? [] : [{ type: 'message', role, content }]
}

function writeOutput(
  part: ToolResultPart,
  callIdOf: (id: string) => string,
  writing: Writing,
): JsonObject {
  // The mark of a result is not written: it moves with every turn, and a text that becomes a list of
  // parts for one turn would no longer be the prefix that was cached.
  const { cache: _cache, ...result } = part
  const content = writeContent(
    result.parts.map(({ cache: _mark, ...inner }) => inner),
    writing,
  )
  const type = isFreeText(part.dialect) ? 'custom_tool_call_output' : 'function_call_output'
  return { type, call_id: callIdOf(part.callId), output: toOutput(content, part.isError) }
}

function toOutput(content: readonly JsonObject[], isError: boolean): unknown {
  const [first, ...rest] = content
  if (first === undefined) return isError ? ERROR_PREFIX : ''
  if (first['type'] !== 'input_text')
    return isError ? [{ type: 'input_text', text: ERROR_PREFIX }, ...content] : content
  const said = String(first['text'])
  const text = isError && !said.startsWith(ERROR_PREFIX) ? `${ERROR_PREFIX}${said}` : said
  return rest.length === 0 ? text : [{ ...first, text }, ...rest]
}

/** All that other wires have are functions and free text; calls of this vendor's own kinds are not theirs. */
const isFreeText = (dialect: ToolDialect): boolean => dialect === 'custom'

interface AssistantWriter {
  write(turn: Turn): readonly JsonObject[]
  /** The id of a call as it was written. */
  callIdOf(id: string): string
}

function createAssistantWriter(writing: ItemsWriting): AssistantWriter {
  const { names, options, losses } = writing
  const toolIds = new ToolIds(ANY_ID, 64)
  const callIds = new Map<string, string>()
  /** Thinking that was written: the same item twice is a 400. */
  const thought = new Set<string>()

  function callIdOf(id: string): string {
    const known = callIds.get(id)
    if (known !== undefined) return known
    const taken = toolIds.take(id)
    callIds.set(id, taken)
    return taken
  }

  function writeThinking(parts: readonly ThinkingPart[]): readonly JsonObject[] {
    return parts.flatMap((part) => {
      const item = reasoningOf(part, options.issuer)
      const key = item === undefined ? undefined : JSON.stringify(item['id'] ?? item)
      if (item === undefined || key === undefined || thought.has(key)) return []
      thought.add(key)
      return [item]
    })
  }

  const recall = (callId: string): readonly JsonObject[] =>
    writeThinking(options.recall?.(callId) ?? [])

  function writeCall(part: Extract<Part, { type: 'tool-call' }>): JsonObject {
    const call_id = callIdOf(part.id)
    const name = names.toTarget(part)
    if (isFreeText(part.dialect))
      return { type: 'custom_tool_call', call_id, name, input: part.arguments }
    const text = part.arguments === '' ? '{}' : part.arguments
    return { type: 'function_call', call_id, name, arguments: text }
  }

  function write({ parts }: Turn): readonly JsonObject[] {
    const calls = parts.filter((part) => part.type === 'tool-call')
    const isHandedBack = parts.some(
      (part) => part.type === 'thinking' && reasoningOf(part, options.issuer) !== undefined,
    )
    const [first] = calls
    // What came before the first call stood before the words that go with it, too.
    const items: JsonObject[] = isHandedBack || first === undefined ? [] : [...recall(first.id)]
    let said: JsonObject[] = []
    let left = calls.length

    function closeMessage(): void {
      if (said.length === 0) return
      const phase = left > 0 ? 'commentary' : 'final_answer'
      items.push({ type: 'message', role: 'assistant', content: said, ...phaseOf(writing, phase) })
      said = []
    }

    for (const part of parts) {
      switch (part.type) {
        case 'text':
          if (part.text !== '') said.push(toOutputText(part))
          break
        case 'refusal':
          if (part.text !== '') said.push({ type: 'refusal', refusal: part.text })
          break
        case 'thinking':
          closeMessage()
          items.push(...writeThinking([part]))
          break
        case 'tool-call':
          closeMessage()
          left -= 1
          if (!isHandedBack && part !== first) items.push(...recall(part.id))
          items.push(writeCall(part))
          break
        case 'opaque':
          for (const text of writeOpaque(part, losses))
            said.push(toOutputText({ type: 'text', text }))
          break
        case 'image':
        case 'document':
        case 'audio':
          losses.add('dropped', `${part.type} of the assistant`)
          break
        case 'tool-result':
      }
    }
    closeMessage()
    return items
  }

  return { write, callIdOf }
}

const toOutputText = ({ text }: TextPart): JsonObject => ({
  type: 'output_text',
  text,
  annotations: [],
})

/** Which words are an aside on the way to a call and which are the answer. The vendor's own servers ask. */
const phaseOf = ({ profile }: Writing, phase: string): { phase?: string } =>
  profile.vendor === 'openai' || profile.vendor === 'azure' ? { phase } : {}

type Sealing = Omit<Seal, 'issuer'> & { readonly issuer?: string | undefined }

/** The vendor's own item, where this upstream is the one that sealed it. */
export function reasoningOf(
  { seal, text }: { readonly seal: Sealing | undefined; readonly text: string },
  issuer: string | undefined,
): JsonObject | undefined {
  if (seal?.wire !== NAME) return undefined
  if (seal.issuer !== undefined && seal.issuer !== issuer) return undefined
  const { item, signature } = seal
  // Without its sealed payload the vendor would look for the item in its store, and finds none.
  if (item !== undefined && typeof item['encrypted_content'] === 'string')
    return { ...item, type: 'reasoning' }
  if (signature === undefined) return undefined
  const summary = text === '' ? [] : [{ type: 'summary_text', text }]
  return { summary, ...item, type: 'reasoning', encrypted_content: signature }
}

/** Thinking stands directly before what came of it: alone it is a 400. */
function withoutLonely(items: readonly JsonObject[]): readonly JsonObject[] {
  const kept: JsonObject[] = []
  for (const item of items.toReversed()) {
    const next = kept.at(-1)
    if (item['type'] === 'reasoning' && (next === undefined || !isSaidByModel(next))) continue
    kept.push(item)
  }
  return kept.reverse()
}

const isSaidByModel = (item: JsonObject): boolean =>
  item['type'] === 'reasoning' ||
  item['type'] === 'function_call' ||
  item['type'] === 'custom_tool_call' ||
  item['role'] === 'assistant'
