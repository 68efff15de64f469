/**
 * A recording as a file: the bytes of one side as they passed, or everything as one line of JSON, as `sluice export` writes
 * it. Neighbours: `raw-body.ts` has the bytes, `actions.tsx` offers it.
 */
import type { ExchangeAnswer } from '../../src/api/types.ts'
import { BODY_KINDS, type BodyKind } from '../../src/store/record.ts'
import { hasBody, loadBody, loadTimes } from './raw-body.ts'
import { isJsonBody, toBase64, toExactText, toFileName } from './raw-bytes.ts'

export async function saveBody({ exchange }: ExchangeAnswer, kind: BodyKind): Promise<void> {
  const bytes = await loadBody(exchange, kind)
  const isAnswer = kind === 'upstream' || kind === 'delivered'
  const ending = isAnswer && !isJsonBody(bytes) ? 'sse' : 'json'
  saveFile(toFileName(exchange.id, `${kind}.${ending}`), bytes)
}

export async function saveAll(answer: ExchangeAnswer): Promise<void> {
  saveFile(toFileName(answer.exchange.id, 'jsonl'), `${JSON.stringify(await toLine(answer))}\n`)
}

async function toLine(answer: ExchangeAnswer): Promise<object> {
  const { exchange, verdicts } = answer
  const bodies: Record<string, object> = {}
  for (const kind of BODY_KINDS) {
    if (!hasBody(exchange, kind)) continue
    const [bytes, times] = await Promise.all([loadBody(exchange, kind), loadTimes(exchange, kind)])
    const text = toExactText(bytes)
    bodies[kind] = text === undefined ? { base64: toBase64(bytes), times } : { text, times }
  }
  return { exchange, verdicts, bodies }
}

function saveFile(name: string, content: Uint8Array | string): void {
  // A copy: the bytes are kept for others.
  const part = typeof content === 'string' ? content : new Uint8Array(content)
  const url = URL.createObjectURL(new Blob([part], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 30_000)
}
