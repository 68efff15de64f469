/** One part of a turn of a request. Neighbours: `turns.tsx` draws turns of them, `request-view.ts` reads them. */
import { memo, type ReactElement } from 'react'
import { Badge } from '../kit/badge.tsx'
import { Thinking } from './block-card.tsx'
import { BlockFrame } from './block-frame.tsx'
import { Fold } from './fold.tsx'
import { JsonTree } from './json-tree.tsx'
import { isAside, showName, toAsideHint } from './plain.ts'
import type { PartView } from './request-view.ts'
import { ToolArguments } from './tool-arguments.tsx'
import { Verbatim } from './verbatim.tsx'

interface PartProps {
  readonly part: PartView
  readonly memory?: string | undefined
}

export const Part = memo(function Part({ part, memory }: PartProps): ReactElement {
  switch (part.type) {
    case 'text':
      return isAside(part.text) ? (
        <Fold label="Context" hint={toAsideHint(part.text)} memory={memory && `${memory} aside`}>
          {() => <Verbatim text={part.text} isMono className="text-muted" memory={memory} />}
        </Fold>
      ) : (
        <Verbatim text={part.text} memory={memory} />
      )
    case 'thinking':
      return (
        <BlockFrame type="thinking" isFlat>
          <Thinking text={part.text} memory={memory} />
        </BlockFrame>
      )
    case 'refusal':
      return (
        <BlockFrame type="refusal" isFlat>
          <Verbatim text={part.text} memory={memory} />
        </BlockFrame>
      )
    case 'tool-call':
      return (
        <BlockFrame type="tool-call" name={part.name} isFlat>
          <ToolArguments name={part.name} content={part.content} memory={memory} />
        </BlockFrame>
      )
    case 'tool-result':
      return (
        <BlockFrame
          type="tool-result"
          name={part.name}
          marks={part.isError ? <Badge tone="bad">error</Badge> : null}
          isFlat
        >
          <ResultText text={part.text} memory={memory} />
        </BlockFrame>
      )
    case 'attachment':
      return (
        <BlockFrame type="attachment" isFlat>
          <p className="verbatim text-xs text-muted">{showName(part.says)}</p>
        </BlockFrame>
      )
    case 'other':
      return (
        <BlockFrame type="opaque" name={part.says} isFlat>
          <JsonTree value={part.value} depth={1} />
        </BlockFrame>
      )
  }
})

export function ResultText({
  text,
  memory,
}: {
  readonly text: string
  readonly memory?: string | undefined
}): ReactElement {
  return text === '' ? (
    <p className="text-xs text-faint">Nothing came back.</p>
  ) : (
    <Verbatim text={text} isMono lines={10} memory={memory} />
  )
}
