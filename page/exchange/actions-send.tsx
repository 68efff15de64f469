/** Asks whether to send a request again, and for the key where the gateway wants one. */
import { useMutation } from '@tanstack/react-query'
import { useState, type ReactElement } from 'react'
import type { ExchangeAnswer } from '../../src/api/types.ts'
import { showName } from '../blocks/plain.ts'
import { toSentence } from '../core/api.ts'
import { toCost, toSize } from '../core/format.ts'
import { go, toHref } from '../core/route.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { TextField } from '../kit/field.tsx'
import { readHeldKey, sendAgain } from './actions-again.ts'

export function SendAgain({
  answer,
  onClose,
}: {
  readonly answer: ExchangeAnswer
  onClose(): void
}): ReactElement {
  const { exchange } = answer
  const [key, setKey] = useState(readHeldKey)
  const sending = useMutation({
    mutationFn: () => sendAgain(answer, key.trim()),
    onSuccess: (id) => {
      onClose()
      go(toHref('exchange', [id]))
    },
  })
  return (
    <Dialog
      title="Send again"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            icon="back"
            disabled={sending.isPending}
            onClick={() => sending.mutate()}
          >
            {sending.isPending ? 'Sending …' : 'Send'}
          </Button>
        </>
      }
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          sending.mutate()
        }}
      >
        <p className="text-sm text-muted">
          The same {toSize(exchange.bodies['request'])} go to{' '}
          <code className="font-mono text-xs">{exchange.endpoint}</code> of this gateway, for{' '}
          <code className="font-mono text-xs break-all">
            {showName(exchange.model ?? 'its model')}
          </code>
          . Policies look at it as at any other request, and the upstream may charge for it
          {exchange.cost === undefined ? '' : `: ${toCost(exchange.cost)} the last time`}.
        </p>
        {exchange.record === 'redacted' ? (
          <p className="text-sm text-warn">
            Secrets are masked in what was kept, so that this is not quite the same request.
          </p>
        ) : null}
        <TextField
          label={exchange.key === undefined ? 'Gateway key, if it wants one' : 'Gateway key'}
          type="password"
          value={key}
          onChange={({ target }) => setKey(target.value)}
          hint={
            exchange.key === undefined
              ? 'Stays in this tab and is forgotten with it'
              : `It was sent with the key "${showName(exchange.key)}". Stays in this tab and is forgotten with it`
          }
          fault={sending.error === null ? undefined : toSentence(sending.error)}
        />
      </form>
    </Dialog>
  )
}
