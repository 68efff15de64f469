/** What is to be told of the records: each once, when it begins or has happened. For the log. */
import type { Lost } from './message.ts'

export type StateChange =
  | { readonly type: 'failing'; readonly why: string }
  /** All that waited is committed. */
  | { readonly type: 'recovered'; readonly exchanges: number; readonly afterMs: number }
  /** It goes on, and bodies are left out: told with the first. */
  | { readonly type: 'behind'; readonly why: string }
  /** All of them are kept again, for some seconds now. */
  | { readonly type: 'caught-up'; readonly droppedBodies: number }
  /** The thread died and a new one was started: nothing is missing by that. */
  | { readonly type: 'restarted'; readonly why: string }
  | { readonly type: 'lost'; readonly lost: readonly Lost[] }
