/** One frame with everything: what lint says of it and what the rule means, its data as JSON or as it came. */
import { useState, type ReactElement } from 'react'
import type { Finding, WireName } from '../../src/index.ts'
import { JsonTree } from '../blocks/json-tree.tsx'
import { showHidden, showName } from '../blocks/plain.ts'
import { toDuration, toSize } from '../core/format.ts'
import { Badge } from '../kit/badge.tsx'
import { IconButton } from '../kit/button.tsx'
import { Choice } from '../kit/choice.tsx'
import { CopyButton } from '../kit/copy.tsx'
import type { RawFrame } from './raw-frames.ts'
import { ruleOf } from './raw-rules.ts'

interface FrameDetailProps {
  readonly wire: WireName
  readonly raw: RawFrame
  /** From 1. */
  readonly number: number
  /** How it stands to the other side, in a sentence. */
  readonly says: string | undefined
  onClose(): void
}

export function FrameDetail(props: FrameDetailProps): ReactElement {
  const { wire, raw, number, says, onClose } = props
  const [form, setForm] = useState<'json' | 'raw'>('json')
  const json = parse(raw.frame.data)
  const text = new TextDecoder().decode(raw.frame.raw)
  return (
    <section
      aria-label={`Frame ${number}`}
      className="flex max-h-1/2 min-h-40 shrink-0 basis-2/5 flex-col border-t border-line-strong bg-surface"
    >
      <header className="flex h-9 shrink-0 items-center gap-2 border-b border-line pr-1.5 pl-3">
        <h3 className="min-w-0 truncate text-xs font-semibold">
          Frame {number} <span className="font-mono font-normal">{showName(raw.name)}</span>
        </h3>
        <span className="tabular truncate text-2xs text-faint @max-xl:hidden">{factsOf(raw)}</span>
        <span className="ml-auto flex items-center gap-1">
          {json === undefined ? null : (
            <Choice
              label="How the frame is shown"
              options={FORMS}
              selected={form}
              onSelect={setForm}
            />
          )}
          <CopyButton isSmall text={text} label="Copy the frame" />
          <IconButton icon="close" label="Close the frame" onClick={onClose} />
        </span>
      </header>
      <div className="min-h-0 flex-1 overflow-auto">
        {says === undefined ? null : <p className="px-3 pt-2 text-xs text-muted">{says}</p>}
        {raw.findings.length === 0 ? null : <Findings wire={wire} findings={raw.findings} />}
        <div className="px-3 py-2">
          {json !== undefined && form === 'json' ? (
            <JsonTree value={json} />
          ) : (
            <pre className="verbatim font-mono text-xs">{showHidden(text)}</pre>
          )}
        </div>
      </div>
    </section>
  )
}

const FORMS = [
  { id: 'json', label: 'JSON' },
  { id: 'raw', label: 'Text' },
] as const

export function Findings({
  wire,
  findings,
}: {
  readonly wire: WireName
  readonly findings: readonly Finding[]
}): ReactElement {
  return (
    <ul aria-label="Remarks" className="border-b border-line">
      {findings.map(({ rule, severity, message, client }) => (
        <li key={rule} className="flex gap-2 px-3 py-1.5 text-xs">
          <Badge tone={severity === 'error' ? 'bad' : 'warn'} className="mt-px shrink-0">
            {severity} {rule}
          </Badge>
          <div className="min-w-0">
            <p className="verbatim">{showHidden(message)}</p>
            <p className="text-faint">
              {ruleOf(wire, rule)?.says}: else {client}
            </p>
          </div>
        </li>
      ))}
    </ul>
  )
}

function factsOf({ time, gap, bytes }: RawFrame): string {
  const words = [toSize(bytes)]
  if (time !== undefined) words.push(`at ${toDuration(time / 1000)}`)
  if (gap !== undefined) words.push(`${toDuration(gap / 1000)} after the one before`)
  return words.join(' · ')
}

function parse(data: string | undefined): unknown {
  if (data === undefined) return undefined
  try {
    return JSON.parse(data) as unknown
  } catch {
    return undefined
  }
}
