/** An answer that is one JSON body: as a tree, or as it came. */
import { useMemo, useState, type ReactElement, type ReactNode } from 'react'
import { JsonTree } from '../blocks/json-tree.tsx'
import { toSize } from '../core/format.ts'
import { Choice } from '../kit/choice.tsx'
import { CopyButton } from '../kit/copy.tsx'
import { RawText } from './raw-text.tsx'

export function RawJson({
  bytes,
  sides,
}: {
  readonly bytes: Uint8Array
  readonly sides: ReactNode
}): ReactElement {
  const [form, setForm] = useState<'json' | 'raw'>('json')
  const text = useMemo(() => new TextDecoder().decode(bytes), [bytes])
  const json = useMemo(() => parse(text), [text])
  return (
    <div className="flex h-full min-h-0 flex-1 flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-1.5">
        {sides}
        <Choice
          label="How the body is shown"
          selected={form}
          onSelect={setForm}
          options={[
            { id: 'json', label: 'JSON' },
            { id: 'raw', label: 'Text' },
          ]}
        />
        <span className="tabular ml-auto text-2xs text-faint">
          One body · {toSize(bytes.length)}
        </span>
        <CopyButton isSmall text={text} label="Copy the body" />
      </div>
      {form === 'json' && json !== undefined ? (
        <div className="min-h-0 flex-1 overflow-auto px-3 py-2">
          <JsonTree value={json} />
        </div>
      ) : (
        <RawText label="Body" text={text} />
      )}
    </div>
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
