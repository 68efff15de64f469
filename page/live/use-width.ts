/** How wide an element is, and whether the window is wide enough for two things beside one another. */
import { useCallback, useState, useSyncExternalStore } from 'react'

/** Put the first on an element; the second is its width. */
export function useWidth(): readonly [(element: HTMLElement | null) => void, number] {
  const [width, setWidth] = useState(0)
  const watch = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined
    setWidth(element.clientWidth)
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [watch, width]
}

export const useMedia = (query: string): boolean =>
  useSyncExternalStore(
    useCallback(
      (callback: () => void) => {
        const list = matchMedia(query)
        list.addEventListener('change', callback)
        return () => list.removeEventListener('change', callback)
      },
      [query],
    ),
    () => matchMedia(query).matches,
  )
