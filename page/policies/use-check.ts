/** What the gateway says of a text, asked at each pause in typing. Neighbours: the editor underlines by it. */
import { useEffect, useState } from 'react'
import type { CheckAnswer } from '../../src/api/types-policies.ts'
import { api, leaveIfRefused } from '../core/api.ts'

const PAUSE_MS = 300

export interface Checked {
  readonly answer: CheckAnswer | undefined
  readonly error: unknown
  /** The text has changed since, and is looked at now. */
  readonly isOld: boolean
}

type Found = Omit<Checked, 'isOld'> & { readonly yaml: string }

/** `name`: of the installed policy that it is an edit of. */
export function useCheck(yaml: string | undefined, name: string | undefined): Checked {
  const [found, setFound] = useState<Found>()
  useEffect(() => {
    if (yaml === undefined) return undefined
    const leave = new AbortController()
    const ask = async (): Promise<void> => {
      try {
        const order = name === undefined ? { yaml } : { yaml, name }
        const answer = await api.checkPolicies(order, leave.signal)
        setFound({ yaml, answer, error: undefined })
      } catch (error) {
        if (leave.signal.aborted) return
        leaveIfRefused(error)
        setFound({ yaml, answer: undefined, error })
      }
    }
    const timer = setTimeout(() => void ask(), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      leave.abort()
    }
  }, [yaml, name])
  return { answer: found?.answer, error: found?.error, isOld: found?.yaml !== yaml }
}
