/**
 * Pieces of bodies → bodies. Neighbours: `to-rows.ts` wrote them, `times.ts` has their times. A body ends where a piece
 * is missing: what follows a hole would be read as something else.
 */
import type { Engine } from './engine.ts'
import { cut } from './fit.ts'
import { BODY_KINDS, type Body, type BodyKind } from './record.ts'
import type { KeptBodies, PieceCodec } from './store.ts'
import type { BodiesTable } from './tables.ts'
import { unpackTimes } from './times.ts'

export async function readBody(
  engine: Engine,
  codec: PieceCodec,
  which: { readonly id: string; readonly kind: BodyKind },
): Promise<Body | undefined> {
  const [kept] = await readBodies(engine, codec, { ids: [which.id], kinds: [which.kind] })
  return kept?.bodies[which.kind]
}

/** More names in one query than this make it no faster. */
const STEP = 200

export async function readBodies(
  engine: Engine,
  codec: PieceCodec,
  { ids, kinds }: { readonly ids: readonly string[]; readonly kinds: readonly BodyKind[] },
): Promise<readonly KeptBodies[]> {
  const kept: KeptBodies[] = []
  for (let from = 0; from < ids.length; from += STEP) {
    const step = ids.slice(from, from + STEP)
    const pieces = await readPieces(engine, step, kinds)
    for (const id of step) kept.push({ id, bodies: toBodies(pieces.get(cut(id)) ?? [], codec) })
  }
  return kept
}

async function readPieces(
  { db }: Engine,
  ids: readonly string[],
  kinds: readonly BodyKind[],
): Promise<ReadonlyMap<string, BodiesTable[]>> {
  const pieces = new Map<string, BodiesTable[]>()
  if (kinds.length === 0) return pieces
  const rows = await db
    .selectFrom('bodies')
    .selectAll()
    .where(
      'exchange_id',
      'in',
      ids.map((id) => cut(id)),
    )
    .where(
      'kind',
      'in',
      kinds.map((kind) => BODY_KINDS.indexOf(kind)),
    )
    .orderBy('exchange_id')
    .orderBy('kind')
    .orderBy('seq')
    .execute()
  for (const row of rows) {
    const list = pieces.get(row.exchange_id)
    if (list === undefined) pieces.set(row.exchange_id, [row])
    else list.push(row)
  }
  return pieces
}

function toBodies(rows: readonly BodiesTable[], codec: PieceCodec): KeptBodies['bodies'] {
  const bodies: Partial<Record<BodyKind, Body>> = {}
  for (const [at, kind] of BODY_KINDS.entries()) {
    const pieces = rows.filter((row) => row.kind === at).filter((row, seq) => row.seq === seq)
    if (pieces.length > 0) bodies[kind] = toBody(pieces, codec)
  }
  return bodies
}

function toBody(pieces: readonly BodiesTable[], codec: PieceCodec): Body {
  const times: number[] = []
  for (const piece of pieces) for (const time of unpackTimes(piece.times)) times.push(time)
  const parts = pieces.map((piece) => codec.unpack(piece.codec, piece.bytes))
  return { bytes: join(parts), times }
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let end = 0
  for (const part of parts) {
    bytes.set(part, end)
    end += part.length
  }
  return bytes
}
