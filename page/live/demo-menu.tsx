/** On the demo: one press for each kind of exchange there is to see. Neighbours: `demo.ts` runs them. */
import { useState, type ReactElement } from 'react'
import { useStore } from '../core/store.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { TextField } from '../kit/field.tsx'
import { Icon } from '../kit/icons.tsx'
import { answerKey, demo, runDemo } from './demo.ts'
import { SAMPLES, type Sample } from './demo-run.ts'
import { Menu } from './menu.tsx'

export const DemoMenu = (): ReactElement => (
  <Menu label="Try" icon="play" className="w-80 p-1">
    {() => <Samples isNarrow />}
  </Menu>
)

export function Samples({ isNarrow = false }: { readonly isNarrow?: boolean }): ReactElement {
  const { running, fault } = useStore(demo)
  return (
    <>
      {fault === undefined ? null : (
        <p role="alert" className="px-2 py-1 text-xs text-bad">
          {fault}
        </p>
      )}
      <ul className={isNarrow ? '' : 'grid gap-x-4 sm:grid-cols-2 xl:grid-cols-3'}>
        {SAMPLES.map((sample) => (
          <li key={sample.id} className="min-w-0">
            <SampleButton sample={sample} isRunning={running.includes(sample.id)} />
          </li>
        ))}
      </ul>
    </>
  )
}

function SampleButton({
  sample,
  isRunning,
}: {
  readonly sample: Sample
  readonly isRunning: boolean
}): ReactElement {
  return (
    <button
      type="button"
      aria-label={sample.title}
      aria-busy={isRunning}
      title={sample.says}
      onClick={() => void runDemo(sample)}
      className="flex w-full min-w-0 items-start gap-2 rounded-md px-2 py-1.5 text-left hover:bg-hover"
    >
      <span className={isRunning ? 'breathe pt-0.5 text-accent' : 'pt-0.5 text-faint'}>
        <Icon name="play" size={12} />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block text-xs font-medium">{sample.title}</span>
        <span className="block text-2xs text-pretty text-faint">{sample.says}</span>
      </span>
    </button>
  )
}

/** Asks for a key where the gateway wants one; it is there once, whatever has begun it. */
export function DemoKey(): ReactElement | null {
  const { asking } = useStore(demo)
  return asking === undefined ? null : <KeyDialog title={asking.title} />
}

function KeyDialog({ title }: { readonly title: string }): ReactElement {
  const [typed, setTyped] = useState('')
  return (
    <Dialog
      title="This gateway asks for a key"
      onClose={() => answerKey(undefined)}
      footer={
        <>
          <Button onClick={() => answerKey(undefined)}>Leave it</Button>
          <Button look="primary" disabled={typed.trim() === ''} onClick={() => answerKey(typed)}>
            Send “{title}”
          </Button>
        </>
      }
    >
      <TextField
        label="Gateway key"
        type="password"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => (event.key === 'Enter' ? answerKey(typed) : undefined)}
        hint="As a client would send it. It stays in this tab's memory, and is gone when you reload."
      />
    </Dialog>
  )
}
