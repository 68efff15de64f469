/**
 * Hours of the day and days of the week, in some part of the world. Neighbours: `call-limit.ts`. The clock is handed
 * in.
 */
import { SluiceError } from '../../base/sluice-error.ts'

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
type Day = (typeof DAYS)[number]

export interface HoursOptions {
  /** Such as `08:00-18:00`; one that ends before it begins goes over midnight. Default: all day. */
  readonly between?: readonly string[]
  /** Default: every day. */
  readonly days?: readonly Day[]
  /** Such as `Europe/Berlin`. Default UTC. */
  readonly timezone?: string
}

export interface Hours {
  isOpen(now: number): boolean
  /** In words: `on mon, tue between 08:00-18:00 (UTC)`. */
  readonly says: string
}

interface Span {
  readonly from: number
  readonly to: number
}

export function toHours({ between, days, timezone = 'UTC' }: HoursOptions): Hours {
  const spans = between?.map((text) => {
    const span = toSpan(text)
    if (span === undefined)
      throw new SluiceError('wrong-use', `Cannot read the hours "${text}": write 08:00-18:00`)
    return span
  })
  if (!isTimezone(timezone))
    throw new SluiceError('wrong-use', `Cannot find the time zone "${timezone}"`)
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  return {
    isOpen(now) {
      const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type, value]))
      const minute = Number(parts.get('hour')) * 60 + Number(parts.get('minute'))
      const today = DAYS.indexOf((parts.get('weekday') ?? '').toLowerCase() as Day)
      return isWithin({ minute, today }, spans, days)
    },
    says: `${days === undefined ? '' : `on ${days.join(', ')} `}${between === undefined ? '' : `between ${between.join(' and ')} `}(${timezone})`,
  }
}

/** Behind midnight, a span that goes over it belongs to the day before. */
function isWithin(
  { minute, today }: { readonly minute: number; readonly today: number },
  spans: readonly Span[] = [{ from: 0, to: 24 * 60 }],
  days: readonly Day[] = DAYS,
): boolean {
  const isOn = (day: number): boolean => days.includes(DAYS[(day + 7) % 7] ?? 'mon')
  return spans.some(({ from, to }) => {
    if (from < to) return isOn(today) && minute >= from && minute < to
    return (isOn(today) && minute >= from) || (isOn(today - 1) && minute < to)
  })
}

export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** `08:00-18:00` in minutes of the day; `undefined`: it is none. */
export function toSpan(text: string): Span | undefined {
  const [, fromHour, fromMinute, toHour, toMinute] =
    /^(\d{1,2}):(\d\d)\s?-\s?(\d{1,2}):(\d\d)$/.exec(text) ?? []
  const from = toMinutes(fromHour, fromMinute)
  const to = toMinutes(toHour, toMinute)
  return from === undefined || to === undefined || from === to ? undefined : { from, to }
}

function toMinutes(hour: string | undefined, minute: string | undefined): number | undefined {
  const total = Number(hour) * 60 + Number(minute)
  return Number(minute) < 60 && total <= 24 * 60 ? total : undefined
}
