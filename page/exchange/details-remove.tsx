/** Asks before a record is taken away for good. */
import { useMutation } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import type { ExchangeAnswer } from '../../src/api/types.ts'
import { showName } from '../blocks/plain.ts'
import { api, leaveIfRefused, queries } from '../core/api.ts'
import { toWholeTime } from '../core/format.ts'
import { go, toHref } from '../core/route.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Failed } from '../kit/states.tsx'

export function RemoveExchange({
  answer: { exchange, verdicts },
  onClose,
  onRemoved = () => go(toHref('live')),
}: {
  readonly answer: ExchangeAnswer
  onClose(): void
  readonly onRemoved?: (() => void) | undefined
}): ReactElement {
  const removing = useMutation({
    mutationFn: () => api.removeExchange(exchange.id),
    onError: leaveIfRefused,
    onSuccess: async () => {
      onClose()
      onRemoved()
      await queries.invalidateQueries()
    },
  })
  return (
    <Dialog
      title="Delete this record?"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button look="danger" disabled={removing.isPending} onClick={() => removing.mutate()}>
            {removing.isPending ? 'Deleting …' : 'Delete'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-2 text-sm">
        <p>
          The exchange of {toWholeTime(exchange.startedAt)} with{' '}
          <span className="font-mono text-xs break-all">
            {showName(exchange.model ?? 'no model')}
          </span>{' '}
          is taken away with all of its bytes. This cannot be undone.
        </p>
        {verdicts.length === 0 ? null : (
          <p className="text-muted">
            Its verdicts keep their place in the chain, so that it stays whole, and lose their
            content.
          </p>
        )}
        {removing.error === null ? null : <Failed error={removing.error} />}
      </div>
    </Dialog>
  )
}
