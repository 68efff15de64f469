/**
 * `/api/policies/…`: the text of a policy, its versions, edits and the way back. Neighbours: `config/policy-edits.ts` says
 * what an edit comes to, `policy-edits.ts` puts it in force everywhere, `api-policy-check.ts` tells of mistakes. Who did
 * what is logged, and never what the text says.
 */
import { toText, type JsonObject } from '../base/json.ts'
import { baseOf, readEdit } from '../config/policy-edits.ts'
import { holdsFor } from '../config/policy-modes.ts'
import type { PolicySettings } from '../config/settings.ts'
import type { NewPolicyEdit, PolicyEdit, PolicyMode } from '../store/store.ts'
import { fail, say, type Reply } from './api-answer.ts'
import type { ApiOptions, Handler } from './api-handler.ts'
import { toPolicyViews, unknownPolicy } from './api-policies.ts'
import { checkPolicyText, toSentence, wrongText } from './api-policy-check.ts'
import { toSource, whyNot } from './api-policy-source.ts'
import { toVersions } from './api-policy-versions.ts'
import type { AskStore } from './api-store.ts'
import type { PolicyDesk } from './policy-desk.ts'

type Names = 'check' | 'source' | 'versions' | 'add' | 'edit' | 'rollBack'

/** As many as a config has at most. */
const MAX_ADDED = 200
const MAX_NAME = 200
const MAX_NOTE = 2000

export function createPolicyHandlers(
  options: ApiOptions,
  askStore: AskStore,
): Readonly<Record<Names, Handler>> {
  const { log } = options
  const withDesk = async (work: (desk: PolicyDesk) => Reply | Promise<Reply>): Promise<Reply> =>
    options.policyDesk === undefined
      ? fail(503, 'Policies cannot be written here: no gateway runs behind this API')
      : await work(options.policyDesk)

  /** `name`: the one that is edited; without it a new one. */
  async function put(desk: PolicyDesk, order: JsonObject, name?: string): Promise<Reply> {
    const wrong = wrongText(order['yaml']) ?? wrongWords(order)
    if (wrong !== undefined) return fail(400, wrong)
    const yaml = toText(order['yaml']) ?? ''
    const { mode } = order
    if (mode !== 'acts' && mode !== 'shadow') return fail(400, 'Say "mode": "acts" or "shadow"')
    const read = readEdit(yaml, name, desk.settings())
    if (read.type === 'wrong') return fail(400, toSentence(yaml, read.mistakes))
    const { policy } = read
    if (name === undefined) {
      const refused = refuseNew(desk, policy.name)
      if (refused !== undefined) return refused
    }
    return await write(
      desk,
      { policy: policy.name, version: policy.version, yaml, mode },
      { order, isNext: name === undefined || order['over'] !== undefined },
    )
  }

  async function write(
    desk: PolicyDesk,
    edit: Pick<NewPolicyEdit, 'policy' | 'version' | 'yaml' | 'mode'>,
    { order, isNext }: { readonly order: JsonObject; readonly isNext: boolean },
  ): Promise<Reply> {
    const said = { by: toText(order['by']) ?? 'admin', note: toText(order['note']) }
    const base = baseOf(desk.settings().policies, edit.policy)
    const added = await desk.edit({ ...edit, ...said, base, at: Date.now() }, isNext)
    if (added === undefined) return tooLate(desk, edit.policy)
    log.warn(edit.yaml === undefined ? 'A policy was rolled back' : 'A policy was edited', {
      policy: edit.policy,
      version: edit.version,
      mode: edit.mode,
      by: said.by,
    })
    const held = desk.policies().filter(({ name }) => name === edit.policy)
    const [policy] = toPolicyViews([], held)
    return say({ policy })
  }

  return {
    check: ({ body }) => withDesk((desk) => checkPolicyText(desk, body)),

    source: ({ params }) =>
      withDesk((desk) => {
        const name = params['name'] ?? ''
        const found = toSource(desk, name, options.records?.() !== undefined)
        return found === undefined ? unknownPolicy(name, options.policies()) : say(found)
      }),

    versions: ({ params }) =>
      withDesk((desk) =>
        askStore(async ({ store }) => {
          const name = params['name'] ?? ''
          const found = await toVersions(desk, store, name)
          return found === undefined ? unknownPolicy(name, options.policies()) : say(found)
        }),
      ),

    add: ({ body }) => withDesk((desk) => askStore(() => put(desk, body))),

    edit: ({ params, body }) =>
      withDesk((desk) =>
        askStore(async () => {
          const name = params['name'] ?? ''
          const source = toSource(desk, name, true)
          if (source === undefined) return unknownPolicy(name, options.policies())
          if (!source.editable) return fail(400, source.why ?? 'It cannot be edited')
          const { over } = body
          if (over !== undefined && over !== source.version) return tooLate(desk, name)
          return await put(desk, body, name)
        }),
      ),

    rollBack: ({ params, body }) =>
      withDesk((desk) =>
        askStore(async ({ store }) => {
          const name = params['name'] ?? ''
          const wrong = wrongWords(body)
          if (wrong !== undefined) return fail(400, wrong)
          const [edits, modes] = await Promise.all([store.policyEdits(name), store.policyModes()])
          const back = findBack(desk, { name, version: body['version'], edits, modes })
          if ('status' in back)
            return back.status === 404 && edits.length === 0
              ? unknownPolicy(name, options.policies())
              : back
          return await write(desk, back, { order: { by: body['by'] }, isNext: false })
        }),
      ),
  }
}

function tooLate(desk: PolicyDesk, name: string): Reply {
  const held = desk.policies().find((one) => one.name === name)
  const now = held === undefined ? 'it is gone' : `version ${held.version} holds now`
  return fail(409, `Somebody else was quicker: ${now}; look at it, and edit that`)
}

function wrongWords({ by, note, version }: JsonObject): string | undefined {
  const isShort = (value: unknown, max: number): boolean =>
    value === undefined || (typeof value === 'string' && value.length <= max)
  if (!isShort(by, MAX_NAME)) return `"by" takes up to ${MAX_NAME} characters`
  if (!isShort(note, MAX_NOTE)) return `"note" takes up to ${MAX_NOTE} characters`
  return isShort(version, MAX_NAME) ? undefined : '"version" takes a version as it is listed'
}

function refuseNew(desk: PolicyDesk, name: string): Reply | undefined {
  const all = desk.policies()
  const isTaken =
    all.some((one) => one.name === name) || desk.own.some(({ policy }) => policy.name === name)
  if (isTaken)
    return fail(409, `There is a policy "${name}" already: edit that, or choose another name`)
  return all.filter(({ edit }) => edit?.base === '').length >= MAX_ADDED
    ? fail(409, `${MAX_ADDED} policies were added here already: remove one, or use the config file`)
    : undefined
}

interface Back {
  readonly name: string
  readonly version: unknown
  /** The newest first. */
  readonly edits: readonly PolicyEdit[]
  readonly modes: readonly PolicyMode[]
}

/** What is to hold again, or why that is not possible. */
function findBack(
  desk: PolicyDesk,
  { name, version, edits, modes }: Back,
): Reply | Pick<NewPolicyEdit, 'policy' | 'version' | 'yaml' | 'mode'> {
  const settings = desk.settings()
  const configured = settings.policies.find((one) => one.name === name)
  const held = desk.policies().find((one) => one.name === name)
  if (version === undefined || version === configured?.version) {
    if (held?.edit !== undefined) return toConfigured(name, configured)
    return held === undefined
      ? fail(404, `There is no policy "${name}" here: say a version of it to bring it back`)
      : fail(409, 'There is no edit to roll back: it is as its config says')
  }
  const why = configured === undefined ? undefined : whyNot(configured)
  if (why !== undefined) return fail(400, why)
  const found = edits.find((one) => one.version === version && one.yaml !== undefined)
  if (found?.yaml === undefined)
    return fail(404, 'The text of this version is not known: only what was written here can be')
  const read = readEdit(found.yaml, name, settings)
  if (read.type === 'wrong') return fail(400, toSentence(found.yaml, read.mistakes))
  // As it was when it was left: it may have been promoted since it was written.
  const said = modes.find((mode) =>
    holdsFor({ name, version: found.version, edit: { ...found, yaml: '' } }, mode),
  )
  const mode = said?.mode ?? found.mode
  return { policy: name, version: read.policy.version, yaml: found.yaml, mode }
}

const toConfigured = (
  policy: string,
  configured: PolicySettings | undefined,
): Pick<NewPolicyEdit, 'policy' | 'version' | 'yaml' | 'mode'> => ({
  policy,
  version: configured?.version ?? '',
  yaml: undefined,
  mode: configured?.installed.isShadow === true ? 'shadow' : 'acts',
})
