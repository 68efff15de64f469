/**
 * `GET /api/exchanges/{id}/blocks`: an answer as the stream core reads it from the recorded bytes. Neighbours: `api.ts`
 * has let them in, `replay/read-record.ts` reads. A very long one is not read here: streams that pass would wait for it.
 */
import type { AnswerView, BlocksAnswer, BlockView } from '../api/types.ts'
import type { AnswerView as ReadAnswer, BlockView as ReadBlock } from '../replay/read-answer.ts'
import { readRecord } from '../replay/read-record.ts'
import type { RecordReader } from '../store/store.ts'
import { say, type Reply } from './api-answer.ts'
import { notThere, verdictsOf } from './api-exchanges.ts'

const MAX_BYTES = 4 * 1024 * 1024

export async function answerBlocks(store: RecordReader, id: string): Promise<Reply> {
  const found = await store.find(id)
  if (found === undefined) return notThere()
  const { bodies } = found
  const bytes = (bodies['upstream'] ?? 0) + (bodies['delivered'] ?? 0)
  if (bytes > MAX_BYTES) return say(await toTooLong(store, found.id, bytes))
  const view = await readRecord(store, found.id)
  if (view === undefined) return notThere()
  const answer: BlocksAnswer = {
    id: found.id,
    upstream: view.upstream && toAnswer(view.upstream),
    delivered: view.isSame || view.delivered === undefined ? undefined : toAnswer(view.delivered),
    isSame: view.isSame,
    changes: view.changes,
    notes: view.notes,
    verdicts: view.verdicts,
  }
  return say(answer)
}

const toTooLong = async (
  store: RecordReader,
  id: string,
  bytes: number,
): Promise<BlocksAnswer> => ({
  id,
  isSame: false,
  changes: [],
  notes: [
    `With ${bytes} bytes the answer is too long to be read here: get the body and use "sluice blocks"`,
  ],
  verdicts: await verdictsOf(store, id),
})

function toAnswer({ fault, findings, blocks, ...answer }: ReadAnswer): AnswerView {
  return {
    ...answer,
    blocks: blocks.map(toBlock),
    fault: fault && {
      kind: fault.kind,
      message: fault.message,
      ...(fault.code === undefined ? undefined : { code: fault.code }),
    },
    findings: findings.map(({ frame, rule, severity, message }) => ({
      frame,
      rule,
      severity,
      message,
    })),
  }
}

function toBlock({ block, content, startedAt, endedAt }: ReadBlock): BlockView {
  return {
    type: block.type,
    id: block.id,
    index: block.index,
    choice: block.choice,
    name: 'name' in block ? block.name : undefined,
    namespace: 'namespace' in block ? block.namespace : undefined,
    content,
    isComplete: block.isComplete,
    startedAt,
    endedAt,
  }
}
