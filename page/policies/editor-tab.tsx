/**
 * The text of an installed policy: read, changed, tried, saved in shadow or acting. Neighbours: `text-desk.tsx` is the
 * editor with its checks; a text that is not saved is kept by `drafts.ts`.
 */
import { useState, type ReactElement } from 'react'
import type { PolicyView } from '../../src/api/types.ts'
import type { CheckedPolicy, PolicySourceAnswer } from '../../src/api/types-policies.ts'
import { showName } from '../blocks/plain.ts'
import { TextDiff } from '../blocks/text-diff.tsx'
import { Fold } from '../blocks/fold.tsx'
import { api } from '../core/api.ts'
import { useStore } from '../core/store.ts'
import { Button } from '../kit/button.tsx'
import { Failed, Loading } from '../kit/states.tsx'
import { useSource } from './data.ts'
import { drafts, ofPolicy, setDraft, type Draft } from './drafts.ts'
import { isInShadow, toVersion } from './policy-words.ts'
import { SaveBar } from './save-bar.tsx'
import { Version } from './sure-words.tsx'
import { TextDesk } from './text-desk.tsx'

export function EditorTab({ policy }: { readonly policy: PolicyView }): ReactElement {
  const { data, error, refetch } = useSource(policy.name)
  if (data === undefined)
    return error === null ? <Loading /> : <Failed error={error} onRetry={() => void refetch()} />
  return data.editable ? <Editor policy={policy} source={data} /> : <ReadOnly source={data} />
}

function ReadOnly({
  source: { name, yaml, why },
}: {
  readonly source: PolicySourceAnswer
}): ReactElement {
  return (
    <>
      <p className="border-b border-line px-3 py-2 text-sm text-muted">
        It cannot be changed here. {why === undefined ? '' : `${showName(why)}.`}
      </p>
      <TextDesk at={ofPolicy(name)} name={name} value={yaml ?? ''} isReadOnly />
    </>
  )
}

interface EditorProps {
  readonly policy: PolicyView
  readonly source: PolicySourceAnswer
}

function Editor({ policy, source }: EditorProps): ReactElement {
  const { name, yaml = '', version } = source
  const key = ofPolicy(name)
  const draft = useStore(drafts)[key]
  const [becomes, setBecomes] = useState<CheckedPolicy>()
  const over = draft?.over ?? version
  const base = over === undefined ? {} : { over }
  return (
    <>
      {draft !== undefined && over !== version ? <Overtaken source={source} draft={draft} /> : null}
      <TextDesk
        at={key}
        name={name}
        value={draft?.yaml ?? yaml}
        onChange={(next) =>
          setDraft(key, next === yaml && over === version ? undefined : { yaml: next, ...base })
        }
        onChecked={setBecomes}
        onDiscard={draft === undefined ? undefined : () => setDraft(key, undefined)}
      >
        <SaveBar
          title={`Save: ${showName(name)}`}
          isDisabled={draft === undefined || becomes === undefined || over !== version}
          says={
            <>
              Version <Version of={becomes?.version} /> takes the place of version{' '}
              <Version of={version} />
            </>
          }
          notes={(mode) => (
            <>
              {mode === 'shadow' && !isInShadow(policy) ? (
                <p className="text-warn">
                  Version <Version of={version} /> acts now, and no longer does then: what it denies
                  would pass.
                </p>
              ) : null}
              <p className="text-muted">
                The config file stays as it is. Once its entry changes, the config holds again.
              </p>
            </>
          )}
          run={(order) => api.editPolicy(name, { yaml: draft?.yaml ?? yaml, ...order, ...base })}
          onDone={() => setDraft(key, undefined)}
        />
      </TextDesk>
    </>
  )
}

/** Somebody has changed it since the draft was begun. */
function Overtaken({
  source: { name, yaml = '', version },
  draft,
}: {
  readonly source: PolicySourceAnswer
  readonly draft: Draft
}): ReactElement {
  const key = ofPolicy(name)
  return (
    <div
      role="alert"
      className="flex flex-col gap-2 border-b border-line bg-warn-soft px-3 py-2 text-xs"
    >
      <p className="text-warn">
        Version {toVersion(version)} holds since; your text began with version{' '}
        {toVersion(draft.over)}. Look at the difference, then keep or discard yours.
      </p>
      <Fold label="From the one that holds (−) to yours (+)">
        {() => (
          <div className="rounded border border-line bg-surface">
            <TextDiff before={yaml} after={draft.yaml} label="From the one that holds to yours" />
          </div>
        )}
      </Fold>
      <div className="flex gap-1.5">
        <Button
          onClick={() =>
            setDraft(key, { yaml: draft.yaml, ...(version === undefined ? {} : { over: version }) })
          }
        >
          Keep mine
        </Button>
        <Button onClick={() => setDraft(key, undefined)}>Discard mine</Button>
      </div>
    </div>
  )
}
