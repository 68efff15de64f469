/**
 * Leaves word of a gateway for the other commands of this user. Neighbours: `serve.ts` and `run-gateway.ts` start one;
 * `server/state-file.ts` writes. A gateway runs without it too: a home that cannot be written to is no reason to stop.
 */
import { stateFolder, writeState } from '../server/state-file.ts'

/** Gives back how to take it away again. */
export function leaveState(of: {
  readonly url: string
  readonly token: string | undefined
}): () => void {
  try {
    return writeState(stateFolder(process.env), { ...of, pid: process.pid })
  } catch {
    return () => {}
  }
}
