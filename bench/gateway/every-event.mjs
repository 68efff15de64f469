/**
 * A policy that looks at each piece of text and writes it anew: every event is decoded, judged and encoded, and no frame
 * leaves as it came. Neighbours: `modes.ts` names it. Plain JavaScript, as the gateway runs it.
 */
export default {
  name: 'every-event',
  onChunk(chunk, _state, context) {
    if (chunk.type !== 'block-delta' || chunk.delta.type !== 'text') return context.send(chunk)
    const { step: _step, vendor: _vendor, ...event } = chunk
    const text = chunk.delta.text.replaceAll('quotes', 'Quotes')
    return context.send({ ...event, delta: { type: 'text', text } })
  },
}
