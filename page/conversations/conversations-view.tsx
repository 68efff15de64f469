/** Sessions of agents: all of them, or one. */
import type { ReactElement } from 'react'
import { usePlace } from '../core/route.ts'
import { ConversationList } from './conversation-list.tsx'
import { ConversationView } from './conversation-view.tsx'

export function ConversationsView(): ReactElement {
  const { parts, query } = usePlace()
  const [id] = parts
  return id === undefined ? (
    <ConversationList />
  ) : (
    <ConversationView key={id} id={id} at={query['at']} />
  )
}
