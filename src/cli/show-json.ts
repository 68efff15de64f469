/**
 * A record that was read → one JSON object, for programs. Neighbours: `show.ts`; `block-lines.ts` has the blocks as
 * `sluice blocks` prints them.
 */
import type { AnswerView } from '../replay/read-answer.ts'
import type { RecordView } from '../replay/read-record.ts'
import { blockJson } from './block-lines.ts'

export function showJson(view: RecordView): object {
  const { record, verdicts, request, isSame, changes, notes } = view
  return {
    exchange: record,
    // As the client wrote it: our own form is for reading.
    request: request?.source.body ?? null,
    sent: view.sent?.source.body ?? null,
    upstream: view.upstream === undefined ? null : answerJson(view.upstream),
    delivered: isSame || view.delivered === undefined ? null : answerJson(view.delivered),
    isSame,
    changes,
    verdicts,
    notes,
  }
}

function answerJson(answer: AnswerView): object {
  const { wire, form, id, model, blocks, finishReason, usage, fault, findings } = answer
  return {
    wire,
    form,
    id: id ?? null,
    model: model ?? null,
    blocks: blocks.map(({ block, startedAt, endedAt }) => ({
      ...blockJson(block),
      ...(startedAt === undefined ? {} : { startedAt, endedAt }),
    })),
    finishReason: finishReason ?? null,
    usage: usage ?? null,
    ...(fault === undefined ? {} : { error: { kind: fault.kind, message: fault.message } }),
    findings,
  }
}
