/**
 * What the readers of all three wires share: text out of parts, and the checks of a body that a provider
 * would refuse too. Neighbours: `read-messages.ts`, `read-chat.ts`, `read-responses.ts`.
 */
import { isObject, toList, toText, type JsonObject } from '../../base/json.ts'
import { toBareText } from './bare-text.ts'

/** The text of a string or of a list of parts; pictures and the like have none. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return toList(content)
    .map((part) => {
      if (typeof part === 'string') return part
      if (!isObject(part)) return ''
      return toText(part['text']) ?? toText(part['stdout']) ?? toText(part['stderr']) ?? ''
    })
    .filter((text) => text !== '')
    .join('\n')
}

/** The user's own words in a message: each part without what an agent wrapped around them. */
export function promptOf(content: unknown): string {
  if (typeof content === 'string') return toBareText(content)
  return toList(content)
    .map((part) => toBareText(textOf([part])))
    .filter((text) => text !== '')
    .join('\n')
}

/** What is wrong with the fields that all wires have, if anything. */
export function checkBody(body: JsonObject): string | undefined {
  const { model, stream, tools } = body
  if (toText(model) === undefined) return 'model: a name is required'
  if (stream != null && typeof stream !== 'boolean') return 'stream: must be true or false'
  if (tools != null && !(Array.isArray(tools) && tools.every(isObject)))
    return 'tools: must be a list of objects'
  return undefined
}

/** `isEmptyAllowed`: a message of the model's that has only calls needs no content on Chat. */
export function checkMessages(messages: unknown, isEmptyAllowed: boolean): string | undefined {
  if (!Array.isArray(messages)) return 'messages: a list is required'
  if (messages.length === 0) return 'messages: at least one message is required'
  for (const [place, message] of messages.entries()) {
    const where = `messages.${place}`
    if (!isObject(message)) return `${where}: must be an object`
    if (toText(message['role']) === undefined) return `${where}.role: a name is required`
    const problem = checkContent(message['content'], isEmptyAllowed)
    if (problem !== undefined) return `${where}.content: ${problem}`
  }
  return undefined
}

function checkContent(content: unknown, isEmptyAllowed: boolean): string | undefined {
  if (typeof content === 'string' || (isEmptyAllowed && content == null)) return undefined
  if (!Array.isArray(content)) return 'must be a text or a list of parts'
  return content.every(isObject) ? undefined : 'every part must be an object'
}
