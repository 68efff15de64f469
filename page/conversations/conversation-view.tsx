/**
 * One session of an agent: its turns in order, as far as they are in sight. Neighbours: `conversation-data.ts` knows the
 * exchanges, `turn.tsx` draws one, `find-bar.tsx` and `use-steps.ts` lead through it.
 */
import { useRef, useState, type ReactElement } from 'react'
import { MemoryContext, type Memory } from '../blocks/remembered.ts'
import { isTyping, useShortcuts } from '../core/shortcuts.ts'
import { go, toHref } from '../core/route.ts'
import { Empty, Failed, Loading } from '../kit/states.tsx'
import { Toolbar } from '../kit/toolbar.tsx'
import { useConversation, useSteadyItems, type TurnItem } from './conversation-data.ts'
import { ConversationFacts, ConversationTitle } from './conversation-head.tsx'
import { FindBar } from './find-bar.tsx'
import { TurnList, type TurnListHandle } from './turn-list.tsx'
import { StepButtons } from './step-buttons.tsx'

export function ConversationView({
  id,
  at,
}: {
  readonly id: string
  /** The exchange that is to be in sight first. */
  readonly at: string | undefined
}): ReactElement {
  const conversation = useConversation(id)
  switch (conversation.state) {
    case 'loading':
      return <Loading />
    case 'failed':
      return <Failed error={conversation.error} onRetry={conversation.retry} />
    case 'missing':
      return (
        <>
          <Toolbar title="Conversation" />
          <Empty icon="conversations" title="This conversation is not here">
            <p>It was never recorded, or its exchanges have been taken away since.</p>
            <a href={toHref('conversations')} className="font-medium text-accent hover:underline">
              All conversations
            </a>
          </Empty>
        </>
      )
    case 'here':
      return <Here id={id} at={at} items={conversation.items} isPartial={conversation.isPartial} />
  }
}

interface HereProps {
  readonly id: string
  readonly at: string | undefined
  readonly items: readonly TurnItem[]
  readonly isPartial: boolean
}

function Here({ id, at, items: all, isPartial }: HereProps): ReactElement {
  const items = useSteadyItems(all)
  const list = useRef<TurnListHandle>(null)
  const field = useRef<HTMLInputElement>(null)
  const [memory] = useState<Memory>(() => new Map())
  const leave = ({ target }: KeyboardEvent): void =>
    isTyping(target) ? undefined : go(toHref('conversations'))
  useShortcuts([
    { keys: '/', says: 'Find in the conversation', run: () => field.current?.focus() },
    { keys: 'n', says: 'Next policy action', run: () => list.current?.step(1) },
    { keys: 'p', says: 'Previous policy action', run: () => list.current?.step(-1) },
    { keys: 'Home', says: 'First turn', run: () => list.current?.show(0, 'start') },
    { keys: 'Escape', says: 'All conversations', run: leave },
    { keys: 'End', says: 'Last turn', run: () => list.current?.show(items.length - 1, 'end') },
  ])
  return (
    <MemoryContext.Provider value={memory}>
      <Toolbar
        title={<ConversationTitle items={items} />}
        end={
          <>
            <StepButtons items={items} onStep={(step) => list.current?.step(step)} />
            <FindBar id={id} items={items} list={list} ref={field} />
          </>
        }
      />
      <ConversationFacts items={items} isPartial={isPartial} />
      <TurnList items={items} at={at} ref={list} />
    </MemoryContext.Provider>
  )
}
