/** Numbers, times and names as people read them. The same everywhere, so that columns can be compared. */
const NONE = '–'

/** 840 ms, 2.3 s, 4 min 05. */
export function toDuration(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms)) return NONE
  if (ms === 0) return '0 ms'
  if (ms < 1) return `${Math.round(ms * 1000)} µs`
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 3600)
    return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')}`
  return `${Math.floor(seconds / 3600)} h ${String(Math.floor((seconds % 3600) / 60)).padStart(2, '0')}`
}

/** 950, 12.4k, 3.1M. */
export function toCount(count: number | undefined): string {
  if (count === undefined) return NONE
  if (count < 10_000) return String(Math.round(count))
  if (count < 1_000_000) return `${(count / 1000).toFixed(count < 100_000 ? 1 : 0)}k`
  return `${(count / 1_000_000).toFixed(1)}M`
}

/** From millionths of a US dollar. */
export function toCost(millionths: number | undefined): string {
  if (millionths === undefined) return NONE
  if (millionths === 0) return '$0'
  const dollars = millionths / 1_000_000
  if (dollars < 0.0001) return '<$0.0001'
  return `$${dollars < 1 ? dollars.toFixed(4) : dollars.toFixed(2)}`
}

/** Of a sum: nothing in it had a price, which is not the same as free. */
export const toCostSum = (millionths: number | undefined): string =>
  toCost(millionths === 0 ? undefined : millionths)

export function toSize(bytes: number | undefined): string {
  if (bytes === undefined) return NONE
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} KB`
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`
  return `${(bytes / 1_000_000_000).toFixed(2)} GB`
}

const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
})
const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const WHOLE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** 14:02:33, with the day where it is another one. */
export function toTime(at: number, now = Date.now()): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString()
  return isToday ? CLOCK.format(at) : `${DAY.format(at)} ${CLOCK.format(at)}`
}

export const toWholeTime = (at: number): string => WHOLE.format(at)

/** 3 s ago, 5 min ago, 2 days ago. */
export function toAgo(at: number, now = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - at) / 1000))
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`
  return `${Math.floor(seconds / 86_400)} days ago`
}

/** How wires are called in narrow places. */
const WIRES: Readonly<Record<string, string>> = {
  'anthropic-messages': 'Messages',
  'openai-chat': 'Chat',
  'openai-responses': 'Responses',
}

export const toWireName = (wire: string | undefined): string =>
  wire === undefined ? NONE : (WIRES[wire] ?? wire)

/** One of them, many of them. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${toCount(count)} ${count === 1 ? one : many}`
