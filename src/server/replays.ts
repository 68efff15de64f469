/**
 * Upstreams that answer from recordings, for a gateway: files, or its own records. Neighbours: `state.ts` makes upstreams,
 * `replay/` is what they are.
 */
import type { CreateReplay } from '../exchange/target.ts'
import { openSource } from '../replay/replay-source.ts'
import { createReplayUpstream, type ReplayUpstreamOptions } from '../replay/replay-upstream.ts'
import type { RecordReader } from '../store/store.ts'
import type { WireName } from '../event/event.ts'

export interface ReplayOptions extends Omit<ReplayUpstreamOptions, 'open' | 'now'> {
  /** Records of somebody else's, in place of the gateway's own. */
  readonly reader?: RecordReader | undefined
  /** Of files whose bytes do not tell. */
  readonly wire?: WireName | undefined
}

export function createReplays(
  options: ReplayOptions = {},
  ownReader: () => RecordReader | undefined,
): CreateReplay {
  const { reader, wire, ...rest } = options
  return (settings) =>
    createReplayUpstream(settings, {
      ...rest,
      open: (of) => openSource(of, { reader: reader ?? ownReader(), wire }),
    })
}
