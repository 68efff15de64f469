/**
 * Verdicts ↔ links of a chain. Each carries the hash of the one before, so that none can be changed, moved or taken out
 * unseen. Neighbours: the engines join links on inside their transaction, `verdict-rows.ts` reads them, `verify.ts` walks
 * over them.
 *
 * What a verdict quotes or says of the content is hashed apart, with a salt that is kept and deleted with it: so it can
 * be taken away later while the chain still holds, and what is left does not tell a guess from the truth.
 */
import { hash, randomFillSync } from 'node:crypto'
import type { VerdictRecord } from '../policy/policy.ts'
import { cut, toWhole } from './fit.ts'
import type { PieceCodec } from './store.ts'
import type { VerdictsTable } from './tables.ts'

/** Before the first. */
const NO_HASH = '0'.repeat(64)

/** The last link, or the last that was cut off at the beginning. */
export interface ChainHead {
  readonly seq: number
  readonly hash: string
}
export const NO_HEAD: ChainHead = { seq: 0, hash: NO_HASH }

/** A verdict that has no place in the chain yet. */
export type PendingVerdict = Omit<VerdictsTable, 'seq' | 'n' | 'previous' | 'hash'>

export interface PendingFacts {
  readonly codec: PieceCodec
  readonly exchangeId: string
  readonly at: number
  readonly decidedAt: number
}

export function toPending(record: VerdictRecord, facts: PendingFacts): PendingVerdict {
  const { block } = record
  return {
    exchange_id: facts.exchangeId,
    at: toWhole(facts.at),
    decided_at: facts.decidedAt,
    policy: cut(record.policy),
    version: record.version === undefined ? null : cut(record.version),
    type: record.type,
    is_shadow: record.isShadow ? 1 : 0,
    block: block?.type ?? 'request',
    tool: block?.name === undefined ? null : cut(block.name),
    rest: JSON.stringify({
      tags: record.tags.length === 0 ? undefined : record.tags,
      by: record.by,
      blockId: block?.id,
      index: block?.index,
      tookMs: Number.isFinite(record.tookMs) ? record.tookMs : 0,
    }),
    ...packContent(record, facts.codec),
  }
}

/** What of a verdict is content. */
type Content = Pick<VerdictRecord, 'reason' | 'details' | 'original' | 'delivered'>

const NO_CONTENT = { content: null, content_codec: 0, content_hash: '' }

function packContent(
  { reason, details, original, delivered }: Content,
  codec: PieceCodec,
): Pick<VerdictsTable, 'content' | 'content_codec' | 'content_hash'> {
  const isBare = reason === undefined && original === undefined && delivered === undefined
  if (isBare && Object.keys(details).length === 0) return NO_CONTENT
  const salt = nextSalt()
  const bytes = Buffer.from(JSON.stringify({ salt, reason, details, original, delivered }))
  const packed = codec.pack(bytes)
  return { content: packed.bytes, content_codec: packed.codec, content_hash: toHash(bytes) }
}

/** What is kept of the content: none where it was taken away. Throws where it is not what was written. */
export function unpackContent(
  row: Pick<VerdictsTable, 'content' | 'content_codec' | 'content_hash'>,
  codec: PieceCodec,
): Content {
  const none = { reason: undefined, details: {}, original: undefined, delivered: undefined }
  if (row.content === null) return none
  const bytes = codec.unpack(row.content_codec, row.content)
  return { ...none, ...(JSON.parse(Buffer.from(bytes).toString()) as Content) }
}

/** Why the content is not what the link says, or `undefined`. */
export function contentFault(
  row: Pick<VerdictsTable, 'content' | 'content_codec' | 'content_hash'>,
  codec: PieceCodec,
): string | undefined {
  if (row.content === null) return undefined
  try {
    const isSame = toHash(codec.unpack(row.content_codec, row.content)) === row.content_hash
    return isSame ? undefined : 'what it quotes was changed'
  } catch {
    return 'what it quotes cannot be read'
  }
}

/** Gives the next place to a verdict. */
export function joinOn(head: ChainHead, pending: PendingVerdict, n: number): VerdictsTable {
  const link = { ...pending, n, seq: head.seq + 1, previous: head.hash }
  return { ...link, hash: linkHash(link) }
}

export function linkHash(link: Omit<VerdictsTable, 'hash' | 'content' | 'content_codec'>): string {
  return toHash(
    JSON.stringify([
      link.previous,
      link.seq,
      link.exchange_id,
      link.at,
      link.n,
      link.decided_at,
      link.policy,
      link.version,
      link.type,
      link.is_shadow,
      link.block,
      link.tool,
      link.rest,
      link.content_hash,
    ]),
  )
}

const toHash = (data: string | Uint8Array): string => hash('sha256', data, 'hex')

const SALT = 16
const salts = Buffer.alloc(SALT * 256)
let nextAt = salts.length

/** From a stock: asking the system for each costs more than the hash. */
function nextSalt(): string {
  if (nextAt === salts.length) {
    randomFillSync(salts)
    nextAt = 0
  }
  nextAt += SALT
  return salts.toString('hex', nextAt - SALT, nextAt)
}
