/**
 * The circle within one process: members tell each other, and some members are the way to others: a worker's channel,
 * Postgres. Neighbours: `server/workers.ts` has one in the first process; tests have gateways in one.
 */
import { createListeners } from '../approvals/listeners.ts'
import { isMeant, type Circle, type Gone, type Letter } from './circle.ts'

interface HubMember {
  take(letter: Letter): void
  /** Somebody else is gone. */
  forget?(gone: Gone): void
}

export interface Hub {
  /** `id`: who it is; a member that is the way to many others has none, and gets all letters that are for nobody else. */
  join(id: string | undefined, member: HubMember): HubPlace
}

interface HubPlace {
  send(letter: Letter): void
  /** It leaves, and everybody is told that this one is gone. */
  leave(): void
  /** Somebody behind this member is gone. */
  lose(gone: Gone): void
}

export function createHub(): Hub {
  const members = new Map<HubMember, string | undefined>()

  function send(letter: Letter, sender: HubMember): void {
    const { to } = letter
    const known = to === undefined ? undefined : find(to)
    for (const [member, id] of members) {
      if (member === sender) continue
      if (to === undefined || member === known || (known === undefined && id === undefined))
        member.take(letter)
    }
  }

  function find(who: string): HubMember | undefined {
    for (const [member, id] of members) if (id === who) return member
    return undefined
  }

  function lose(gone: Gone, sender: HubMember): void {
    for (const member of members.keys()) if (member !== sender) member.forget?.(gone)
  }

  return {
    join(id, member) {
      members.set(member, id)
      return {
        send: (letter) => send(letter, member),
        lose: (gone) => lose(gone, member),
        leave() {
          members.delete(member)
          if (id !== undefined) lose({ who: id }, member)
        },
      }
    },
  }
}

export interface HubCircle extends Circle {
  leave(): void
}

/** A circle for one who is in the hub itself. `catchUp`: of the way to the others, where there is one. */
export function joinHub(
  hub: Hub,
  self: string,
  catchUp = (): Promise<void> => Promise.resolve(),
): HubCircle {
  const letters = createListeners<Letter>()
  const gone = createListeners<(who: string) => boolean>()
  const place = hub.join(self, {
    take: letters.tell,
    forget: (one) => gone.tell(isMeant(one)),
  })
  return {
    self,
    tell: (news, to) => place.send({ from: self, to, news }),
    onLetter: letters.add,
    onGone: gone.add,
    catchUp,
    leave: place.leave,
  }
}
