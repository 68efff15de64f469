/** One block of an answer: what kind it is, when it came, what it says, and what was decided of it. */
import { memo, type ReactElement, type ReactNode } from 'react'
import type { BlockView } from '../../src/api/types.ts'
import { toCount, toDuration } from '../core/format.ts'
import { BlockFrame } from './block-frame.tsx'
import { Fold } from './fold.tsx'
import { firstLine, lastLine, showName } from './plain.ts'
import { ToolArguments } from './tool-arguments.tsx'
import { Cursor, Verbatim } from './verbatim.tsx'

interface BlockCardProps {
  readonly block: BlockView
  /** It is still coming. */
  readonly isLive?: boolean
  /** Behind its name: verdicts, marks. */
  readonly marks?: ReactNode
  /** Below its content: reasons, what was delivered instead. */
  readonly children?: ReactNode
  /** No border: it stands in something that has one. */
  readonly isFlat?: boolean
  /** By which it is remembered what was unfolded in it. */
  readonly memory?: string | undefined
}

export const BlockCard = memo(function BlockCard({
  block,
  isLive = false,
  marks,
  children,
  isFlat = false,
  memory,
}: BlockCardProps): ReactElement {
  return (
    <BlockFrame
      type={block.type}
      name={toName(block)}
      marks={marks}
      facts={<Facts block={block} isLive={isLive} />}
      isFlat={isFlat}
    >
      <Content block={block} isLive={isLive} memory={memory} />
      {children}
    </BlockFrame>
  )
})

function toName({ type, name, namespace, content }: BlockView): string | undefined {
  if (type === 'opaque') return content
  return namespace === undefined || name === undefined ? name : `${namespace}.${name}`
}

function Content({
  block,
  isLive,
  memory,
}: {
  readonly block: BlockView
  readonly isLive: boolean
  readonly memory: string | undefined
}): ReactElement | null {
  const { type, content } = block
  switch (type) {
    case 'tool-call':
    case 'server-tool':
      return (
        <ToolArguments
          name={block.name ?? ''}
          content={content}
          isComplete={!isLive}
          memory={memory}
        />
      )
    case 'thinking':
      return <Thinking text={content} isLive={isLive} memory={memory} />
    case 'text':
    case 'refusal':
      return <Verbatim text={content} isLive={isLive} memory={memory} />
    case 'tool-result':
      return <Verbatim text={content} isMono isLive={isLive} memory={memory} lines={12} />
    case 'opaque':
      return (
        <p className="text-xs text-faint">
          Only its vendor knows what this is: see the raw frames{isLive ? <Cursor /> : '.'}
        </p>
      )
  }
}

/** Folded, since it is long and the answer is what counts; its first line says what it is about. */
export function Thinking({
  text,
  isLive = false,
  label = isLive ? 'Thinking …' : 'Show',
  memory,
}: {
  readonly text: string
  readonly isLive?: boolean
  readonly label?: ReactNode
  readonly memory?: string | undefined
}): ReactElement {
  if (text === '')
    return <p className="text-xs text-faint">{isLive ? <Cursor /> : 'Sealed by its vendor'}</p>
  return (
    <Fold
      label={label}
      hint={<span className="italic">{isLive ? lastLine(text) : firstLine(text)}</span>}
      memory={memory === undefined ? undefined : `${memory} open`}
    >
      {() => <Verbatim text={text} isLive={isLive} className="text-muted italic" memory={memory} />}
    </Fold>
  )
}

function Facts({
  block,
  isLive,
}: {
  readonly block: BlockView
  readonly isLive: boolean
}): ReactElement {
  const { content, startedAt, endedAt, type } = block
  const tokens = Math.ceil(content.length / 4)
  return (
    <>
      {type === 'opaque' || content === '' ? null : (
        <span title={`About ${toCount(tokens)} tokens`}>{toCount(content.length)} chars</span>
      )}
      {startedAt === undefined ? null : (
        <span title={toWhen(startedAt, endedAt)}>
          +{toDuration(startedAt / 1000)}
          {endedAt === undefined || isLive || endedAt === startedAt
            ? ''
            : ` · ${toDuration((endedAt - startedAt) / 1000)}`}
        </span>
      )}
      {block.isComplete || isLive ? null : <span className="text-warn">not whole</span>}
    </>
  )
}

function toWhen(startedAt: number, endedAt: number | undefined): string {
  const began = `Began ${toDuration(startedAt / 1000)} after the request`
  return endedAt === undefined
    ? began
    : showName(`${began}, took ${toDuration((endedAt - startedAt) / 1000)}`)
}
