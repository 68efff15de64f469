/** Shows the last turns before a call that waits, and what the answer said before it. Neighbours: `around.ts`. */
import { useState, type ReactElement } from 'react'
import type { BlockView } from '../../src/api/types.ts'
import { BlockCard } from '../blocks/block-card.tsx'
import { Turns } from '../blocks/turns.tsx'
import { plural } from '../core/format.ts'
import { Button } from '../kit/button.tsx'
import { Loading } from '../kit/states.tsx'
import type { Around } from './around.ts'

const LAST = 3

export function AroundCall({
  around,
  callId,
}: {
  readonly around: Around
  readonly callId: string
}): ReactElement {
  if (around.state === 'reading') return <Loading what="Reading the conversation" />
  if (around.state === 'missing') return <p className="text-xs text-faint">{around.why}</p>
  const { request, blocks } = around
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {request === undefined ? null : <Turns turns={request.turns} last={LAST} />}
      <BlocksBefore blocks={before(blocks, callId)} />
    </div>
  )
}

function BlocksBefore({ blocks }: { readonly blocks: readonly BlockView[] }): ReactElement | null {
  const [isOpen, setOpen] = useState(false)
  const shown = isOpen ? blocks : blocks.slice(-LAST)
  const hidden = blocks.length - shown.length
  if (blocks.length === 0) return null
  return (
    <section aria-label="This answer before the call" className="flex min-w-0 flex-col gap-2">
      <h4 className="text-2xs font-medium text-faint">This answer, before the call</h4>
      {hidden === 0 ? null : (
        <Button look="quiet" onClick={() => setOpen(true)} className="self-start">
          {plural(hidden, 'earlier block')}
        </Button>
      )}
      {shown.map((block) => (
        <BlockCard key={`${block.index}-${block.id}`} block={block} />
      ))}
    </section>
  )
}

function before(blocks: readonly BlockView[], callId: string): readonly BlockView[] {
  const at = blocks.findIndex(({ id, type }) => id === callId && type === 'tool-call')
  return at === -1 ? blocks.filter(({ isComplete }) => isComplete) : blocks.slice(0, at)
}
