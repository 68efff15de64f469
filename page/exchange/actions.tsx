/**
 * What can be done with a recorded exchange: copy it as curl, save it, play it again, send it again. Neighbours:
 * `actions-*.ts` do it, `playback.tsx` plays. Everything is made of the recorded bytes.
 */
import { useState, type ReactElement } from 'react'
import type { ExchangeAnswer } from '../../src/api/types.ts'
import { toSentence } from '../core/api.ts'
import { toSize } from '../core/format.ts'
import { Icon } from '../kit/icons.tsx'
import { toCurl } from './actions-curl.ts'
import { Menu, type MenuItem } from './actions-menu.tsx'
import { saveAll, saveBody } from './actions-save.ts'
import { SendAgain } from './actions-send.tsx'
import { Playback } from './playback.tsx'
import { loadBody, whyMissing } from './raw-body.ts'

type Said = { readonly text: string; readonly isBad: boolean }

export function ExchangeActions({ answer }: { readonly answer: ExchangeAnswer }): ReactElement {
  const [shown, setShown] = useState<'playback' | 'again'>()
  const [said, setSaid] = useState<Said>()
  const { exchange } = answer

  function run(work: () => Promise<void>, done: string): void {
    const say = (next: Said): void => {
      setSaid(next)
      setTimeout(() => setSaid((now) => (now === next ? undefined : now)), next.isBad ? 6000 : 1800)
    }
    work().then(
      () => say({ text: done, isBad: false }),
      (error: unknown) => say({ text: toSentence(error), isBad: true }),
    )
  }

  const copy = (text: () => string | Promise<string>): void =>
    run(async () => {
      await navigator.clipboard.writeText(await text())
    }, 'Copied')

  const noRequest = whyMissing(exchange, 'request')
  const noAnswer =
    whyMissing(exchange, 'upstream') === undefined ? undefined : whyMissing(exchange, 'delivered')

  const replay: readonly MenuItem[] = [
    {
      label: 'Play here',
      hint: 'The stream again, with its own timing',
      icon: 'play',
      why: noAnswer,
      run: () => setShown('playback'),
    },
    {
      label: 'Copy replay command',
      hint: 'Serves this answer to an agent',
      icon: 'copy',
      why: noAnswer,
      run: () => copy(() => `sluice replay ${exchange.id}`),
    },
    {
      label: 'Send again…',
      hint: 'The same request to this gateway',
      icon: 'back',
      why: noRequest,
      run: () => setShown('again'),
    },
  ]
  const copying: readonly MenuItem[] = [
    {
      label: 'Copy as curl',
      hint: 'The key is $SLUICE_KEY',
      icon: 'copy',
      why: noRequest,
      run: () =>
        copy(async () => toCurl(location.origin, exchange, await loadBody(exchange, 'request'))),
    },
    {
      label: 'Copy the id',
      hint: exchange.id,
      icon: 'copy',
      run: () => copy(() => exchange.id),
    },
    {
      label: 'Copy a link to here',
      icon: 'copy',
      run: () => copy(() => `${location.origin}/#/exchange/${exchange.id}`),
    },
  ]
  return (
    <div role="group" aria-label="Actions" className="relative flex items-center gap-1.5">
      <Menu label="Replay" icon="play" items={replay} />
      <Menu label="Copy" icon="copy" items={copying} />
      <Menu label="Save" icon="save" items={toSaves(answer, run)} />
      <p
        role="status"
        className={
          said === undefined
            ? 'sr-only'
            : `appear absolute top-full right-0 z-10 mt-1 flex max-w-72 items-start gap-1.5 rounded-md border border-line bg-surface px-2 py-1 text-xs shadow-pop ${said.isBad ? 'text-bad' : 'text-ok'}`
        }
      >
        {said === undefined ? null : <Icon name={said.isBad ? 'warn' : 'check'} size={14} />}
        {said?.text}
      </p>
      {shown === 'playback' ? (
        <Playback answer={answer} onClose={() => setShown(undefined)} />
      ) : null}
      {shown === 'again' ? <SendAgain answer={answer} onClose={() => setShown(undefined)} /> : null}
    </div>
  )
}

function toSaves(
  answer: ExchangeAnswer,
  run: (work: () => Promise<void>, done: string) => void,
): readonly MenuItem[] {
  const { exchange } = answer
  const body = (kind: 'upstream' | 'delivered' | 'request', label: string): MenuItem => ({
    label,
    hint: toSize(exchange.bodies[kind]),
    icon: 'save',
    why: whyMissing(exchange, kind),
    run: () => run(() => saveBody(answer, kind), 'Saved'),
  })
  return [
    body('upstream', 'Save recording'),
    ...(exchange.bodies['delivered'] === undefined
      ? []
      : [body('delivered', 'Save what the client got')]),
    body('request', 'Save the request'),
    {
      label: 'Save everything',
      hint: 'JSON lines, as "sluice export" writes them',
      icon: 'save',
      run: () => run(() => saveAll(answer), 'Saved'),
    },
  ]
}
