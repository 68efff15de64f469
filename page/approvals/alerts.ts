/**
 * Tells a person who looks elsewhere that a call waits: by a notification of the browser, by a sound, by both or none.
 * Neighbours: `approval-watch.tsx` starts it with the page, `alert-switches.tsx` turns it on. A notification may be seen by
 * others, so that it says the tool and the client, and nothing of what the call does.
 */
import type { TicketSummary } from '../../src/approvals/ticket.ts'
import { keepFeedWhileHidden, onFeed } from '../core/feed.ts'
import { createKept, isYesOrNo } from '../core/preferences.ts'
import { go, readPlace, toHref } from '../core/route.ts'
import { clientOf, nameOf } from './words.ts'

export const isNotifying = createKept('notify', false, isYesOrNo)
export const isSounding = createKept('sound', false, isYesOrNo)

const MAX_NAME = 60
const shown = new Map<string, Notification>()

/** Gives back how to stop. */
export function startAlerts(): () => void {
  const keep = (): void => keepFeedWhileHidden(isNotifying.get() || isSounding.get())
  keep()
  const stops = [
    isNotifying.onChange(keep),
    isSounding.onChange(keep),
    onFeed((event) => {
      if (event.type === 'asked') alert(event.ticket)
      if (event.type === 'decided' || event.type === 'expired') take(event.ticket.ticket)
    }),
  ]
  return () => {
    for (const stop of stops) stop()
    keepFeedWhileHidden(false)
  }
}

/** Asks the browser, which asks the person. Whether they may be shown. */
export async function allowNotifications(): Promise<boolean> {
  if (!('Notification' in window)) return false
  return (await Notification.requestPermission()) === 'granted'
}

export const canNotify = (): boolean =>
  'Notification' in window && Notification.permission !== 'denied'

function alert(ticket: TicketSummary): void {
  if (isSounding.get()) beep()
  if (isNotifying.get() && !isLookedAt()) notify(ticket)
}

/** Who has the list before them needs no telling. */
const isLookedAt = (): boolean =>
  !document.hidden && document.hasFocus() && readPlace(location.hash).view === 'approvals'

function notify(ticket: TicketSummary): void {
  if (!('Notification' in window) || Notification.permission !== 'granted') return
  try {
    // The same tag in two tabs is one notification.
    const one = new Notification(`${shorten(nameOf(ticket))} waits for you`, {
      body: `Asked by ${shorten(clientOf(ticket))}`,
      tag: ticket.ticket,
    })
    one.addEventListener('click', () => {
      window.focus()
      go(toHref('approvals', [ticket.ticket]))
      one.close()
    })
    shown.set(ticket.ticket, one)
  } catch {
    // Phones have them for service workers only.
  }
}

/** Somebody has decided: it would only mislead. */
function take(ticket: string): void {
  shown.get(ticket)?.close()
  shown.delete(ticket)
}

const shorten = (name: string): string =>
  name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name

let audio: AudioContext | undefined

/** Two short tones. A browser that has seen no click yet stays silent. */
export function beep(): void {
  audio ??= new AudioContext()
  void audio.resume().catch(() => undefined)
  tone(audio, 660, 0)
  tone(audio, 880, 0.13)
}

function tone(context: AudioContext, frequency: number, after: number): void {
  const start = context.currentTime + after
  const source = context.createOscillator()
  const volume = context.createGain()
  source.frequency.value = frequency
  volume.gain.setValueAtTime(0, start)
  volume.gain.linearRampToValueAtTime(0.12, start + 0.01)
  volume.gain.exponentialRampToValueAtTime(0.001, start + 0.12)
  source.connect(volume).connect(context.destination)
  source.start(start)
  source.stop(start + 0.13)
}
