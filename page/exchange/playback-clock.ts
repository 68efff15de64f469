/** The clock of a playback: runs by the frames of the screen, at some speed, up to the end. */
import { useEffect, useRef, useState } from 'react'

export interface Player {
  /** Microseconds since the exchange began. */
  readonly moment: number
  readonly isPlaying: boolean
  play(): void
  pause(): void
  /** Goes there; a playback that runs goes on from there. */
  seek(moment: number): void
}

/** `speed`: how many times as fast as it was; infinite: all at once. */
export function usePlayer(end: number, speed: number): Player {
  const [moment, setMoment] = useState(0)
  const [isPlaying, setPlaying] = useState(true)
  const at = useRef(0)

  function seek(next: number): void {
    at.current = Math.min(end, Math.max(0, next))
    setMoment(at.current)
  }

  useEffect(() => {
    if (!isPlaying) return
    let before = performance.now()
    let frame = requestAnimationFrame(step)
    function step(now: number): void {
      const passed = Math.max(0, now - before) * 1000
      before = now
      at.current = Number.isFinite(speed) ? Math.min(end, at.current + passed * speed) : end
      setMoment(at.current)
      if (at.current >= end) setPlaying(false)
      else frame = requestAnimationFrame(step)
    }
    return () => cancelAnimationFrame(frame)
  }, [isPlaying, speed, end])

  return {
    moment,
    isPlaying,
    play() {
      if (at.current >= end) seek(0)
      setPlaying(true)
    },
    pause: () => setPlaying(false),
    seek,
  }
}
