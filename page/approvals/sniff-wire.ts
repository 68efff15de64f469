/**
 * The first bytes of an upstream's answer → its wire. What is open does not say by which wire its upstream answers, and that
 * need not be the client's. Pure.
 */
import type { WireName } from '../../src/event/event.ts'

export function sniffWire(bytes: Uint8Array): WireName | undefined {
  const text = new TextDecoder().decode(bytes.subarray(0, 400))
  if (text.includes('chat.completion')) return 'openai-chat'
  if (/"?(?:type|event)"?:\s*"?response\./.test(text)) return 'openai-responses'
  if (/"?(?:type|event)"?:\s*"?message(?:_start)?\b/.test(text)) return 'anthropic-messages'
  return undefined
}

const WIRES: readonly string[] = ['anthropic-messages', 'openai-chat', 'openai-responses']

export const isWire = (text: string): text is WireName => WIRES.includes(text)
