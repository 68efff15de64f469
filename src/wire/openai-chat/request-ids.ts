/**
 * Ids of calls as a server takes them, and of end users. A pure function of the id, since a call and its
 * result both carry it, on every request. Neighbours: `request-write*.ts`.
 */
import { hashHex, hashLanes } from '../../base/hash.ts'
import type { Profile } from '../../request/profile.ts'
import { ANY_ID, ToolIds, PLAIN_ID } from '../ids.ts'

const NINE = /^[a-zA-Z0-9]{9}$/

export function toToolId(id: string, { form, maxLength }: Profile['toolIds']): string {
  if (form !== 'nine') return new ToolIds(form === 'plain' ? PLAIN_ID : ANY_ID, maxLength).take(id)
  if (NINE.test(id)) return id
  const [low, high] = hashLanes(id)
  return low.toString(36).padStart(7, '0').slice(-5) + high.toString(36).padStart(7, '0').slice(-4)
}

/** An end user or a cache's key. Claude Code's user is an object in a string, and too long for any server. */
export function toShortId(id: string, maxLength: number): string {
  if (id.length <= maxLength) return id
  return `id_${hashHex(id)}`
}
