/** Whether a place is at least so wide: the window says little about a panel in it. */
import { useCallback, useState } from 'react'

export function useIsWide(px: number): readonly [(element: HTMLElement | null) => void, boolean] {
  const [isWide, setWide] = useState(false)
  const place = useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return undefined
      const observer = new ResizeObserver(([entry]) =>
        setWide((entry?.contentRect.width ?? 0) >= px),
      )
      observer.observe(element)
      setWide(element.clientWidth >= px)
      return () => observer.disconnect()
    },
    [px],
  )
  return [place, isWide]
}
