/**
 * State that outlives its component: rows of long lists are taken away when they leave the window, and what was unfolded
 * in them should be so when they come back. Neighbours: the conversation puts a memory around its rows; elsewhere this is
 * plain state.
 */
import { createContext, useContext, useState } from 'react'

export type Memory = Map<string, unknown>

export const MemoryContext = createContext<Memory | undefined>(undefined)

/** `key` says what it is of; without one, or without a memory around it, it is forgotten with the component. */
export function useRemembered<T>(
  key: string | undefined,
  first: T,
): readonly [T, (next: T) => void] {
  const memory = useContext(MemoryContext)
  const kept = key === undefined ? undefined : memory?.get(key)
  const [value, setValue] = useState<T>((kept as T | undefined) ?? first)
  return [
    value,
    (next) => {
      if (key !== undefined) memory?.set(key, next)
      setValue(next)
    },
  ]
}
