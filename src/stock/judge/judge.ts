/**
 * A policy that lets a model decide on each held call, or text. Neighbours: `subject.ts` says what is judged,
 * `poll.ts` asks, `kept.ts` remembers; `options.ts` has what can be set. Knows no wire and no HTTP: it asks through
 * its context.
 *
 * It fails closed. No answer within the deadline, an answer that is none, one that contradicts itself: none of them
 * lets anything pass. What is judged is shown as data (`prompt.ts`), and whatever it says, it cannot answer for the
 * judge.
 */
import { createHash, randomBytes } from 'node:crypto'
import { isObject, toText } from '../../base/json.ts'
import { SluiceError } from '../../base/sluice-error.ts'
import { fullName } from '../../event/block.ts'
import { definePolicy, type Policy, type PolicyContext } from '../../policy/policy.ts'
import { ask, deny, pass, type Verdict } from '../../policy/verdict.ts'
import { toToolFilter } from '../tool-globs.ts'
import type { JudgeWorld } from './ask.ts'
import { createBill } from './bill.ts'
import { createKept, createTogether } from './kept.ts'
import { createLimit, untilAborted } from './limit.ts'
import { findProblems, toSettings, type JudgeOptions, type JudgeSettings } from './options.ts'
import { poll, type Ruling } from './poll.ts'
import { contentOf, toSubject, type Judged, type Subject } from './subject.ts'

type Details = Readonly<Record<string, string | number | boolean>>

interface Ruled {
  readonly ruling: Ruling
  /** What was used to get there. */
  readonly spent: Details
}

const WORLD: JudgeWorld = {
  createMark: () => randomBytes(8).toString('hex'),
  random: Math.random,
}

/** Lets a model decide. Throws when the options cannot be. */
export function judge(options: JudgeOptions, world: JudgeWorld = WORLD): Policy {
  const [problem] = findProblems(options)
  if (problem !== undefined)
    throw new SluiceError('wrong-use', `Cannot make a judge: ${problem.key}: ${problem.message}`)
  const settings = toSettings(options)
  const version = toVersion(settings, options.version)
  const kept = createKept<Ruling>(settings.cache)
  const together = createTogether<Ruled>()
  const isLetThrough = toLetThrough(settings)

  async function rule(subject: Subject, ctx: PolicyContext): Promise<Ruled> {
    const found = kept.find(subject.key, ctx.now())
    if (found !== undefined) return { ruling: found, spent: { isCached: true } }
    const limit = createLimit(ctx.signal, settings.deadline, () => tooLate(settings))
    try {
      const asked = together.run(subject.key, limit.signal, async () => {
        const bill = createBill(settings.price)
        const callModel: PolicyContext['callModel'] = (call) => ctx.callModel(call)
        const ruling = await poll({ settings, subject, world, limit, bill, callModel })
        if (ruling.type !== 'nonsense' && ruling.type !== 'failed')
          kept.keep(subject.key, ruling, ctx.now())
        return { ruling, spent: bill.toDetails() }
      })
      const { value, isShared } = await untilAborted(asked, limit.signal)
      return isShared ? { ruling: value.ruling, spent: { isShared } } : value
    } finally {
      limit.end()
    }
  }

  return definePolicy<'tool-call' | 'text'>({
    name: options.name ?? 'judge',
    version,
    holds: [settings.on],
    isEager: true,
    async judge(block, ctx) {
      if (isLetThrough(block)) return pass()
      const { length } = contentOf(block)
      if (length > settings.maxLength) return tooLong(block, length, settings)
      const subject = toSubject(block, ctx.request, { settings, version })
      let ruled: Ruled
      try {
        ruled = await rule(subject, ctx)
      } catch (error) {
        // Nobody waits any more, or the deadline is over.
        ctx.signal.throwIfAborted()
        ruled = { ruling: { type: 'failed', error: error as Error }, spent: {} }
      }
      const { type } = ruled.ruling
      if (type === 'failed') ctx.signal.throwIfAborted()
      if (type === 'failed' || type === 'nonsense')
        ctx.log.warn('The judge gave no verdict', { failure: failureOf(ruled.ruling) })
      return toVerdict(ruled, subject, settings)
    },
  })
}

/** What nobody asks about. */
function toLetThrough({ tools, skip }: JudgeSettings): (block: Judged) => boolean {
  const isMeant = toToolFilter(tools)
  const isHarmless = toToolFilter(skip)
  return (block) => {
    if (block.type === 'text') return block.text.trim() === ''
    // By the whole name only: a tool of some server that is called like a harmless one is another tool.
    return !isMeant(block) || isHarmless({ name: fullName(block) })
  }
}

const tooLong = (block: Judged, length: number, { maxLength }: JudgeSettings): Verdict =>
  deny(
    `The ${block.type === 'text' ? 'text' : 'arguments'} of ${length} characters cannot be judged: ${maxLength} is the most`,
    { instead: 'Do it in smaller steps.', details: { length } },
  )

const tooLate = ({ deadline }: JudgeSettings): SluiceError =>
  new SluiceError('upstream-failed', `The judge gave no verdict within ${deadline / 1000} s`)

function toVerdict({ ruling, spent }: Ruled, { what }: Subject, settings: JudgeSettings): Verdict {
  const details = { model: settings.models.join(', '), votes: settings.votes, ...spent }
  switch (ruling.type) {
    case 'pass':
    case 'deny':
    case 'ask': {
      const { probability, reason } = ruling
      const all = { details: { ...details, probability } }
      if (ruling.type === 'pass') return pass({ ...all, reason })
      if (ruling.type === 'deny')
        return deny(withReason(`A judge denied this ${what}`, reason), all)
      return ask(withReason(`May the agent go on with this ${what}? A judge has doubts`, reason), {
        ...all,
        reason,
      })
    }
    case 'nonsense':
      return closed(`A judge gave no clear verdict on this ${what}, so it is not allowed`, {
        isAsked: settings.onFailure === 'ask',
        details: { ...details, failure: failureOf(ruling) },
      })
    case 'failed':
      if (settings.onFailure === 'error') throw ruling.error
      return closed(`The judge of this ${what} could not be asked, so it is not allowed now`, {
        isAsked: settings.onFailure === 'ask',
        details: { ...details, failure: failureOf(ruling) },
      })
  }
}

const closed = (
  reason: string,
  { isAsked, details }: { readonly isAsked: boolean; readonly details: Details },
): Verdict =>
  isAsked
    ? ask('The judge gave no verdict: may it go on?', { reason, details })
    : deny(reason, { details })

const withReason = (words: string, reason: string): string =>
  reason === '' ? words : `${words}: ${reason}`

/** In a word. What an upstream said of it is not for logs and records: it may quote content. */
function failureOf(ruling: Ruling): string {
  if (ruling.type !== 'failed') return ruling.type
  const { error } = ruling
  if (!(error instanceof SluiceError)) return error.name
  const { cause } = error
  const kind = isObject(cause) ? toText(cause['kind']) : undefined
  return kind === undefined ? `${error.code}: ${error.message}` : `${error.code}: ${kind}`
}

/** Other rules, another version: nothing that was decided under others is found again. */
function toVersion(settings: JudgeSettings, named: string | undefined): string {
  const digest = createHash('sha256').update(JSON.stringify(settings)).digest('hex').slice(0, 12)
  return named === undefined ? digest : `${named}-${digest}`
}
