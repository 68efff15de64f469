/** A view that breaks does not take the others with it. The address holds where it was, so that a reload leads back. */
import { Component, type ReactNode } from 'react'
import { Failed } from './kit/states.tsx'

export class Boundary extends Component<
  { readonly children: ReactNode },
  { readonly error: unknown }
> {
  override state = { error: undefined as unknown }

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error }
  }

  override render(): ReactNode {
    return this.state.error === undefined ? (
      this.props.children
    ) : (
      <Failed error={this.state.error} onRetry={() => location.reload()} />
    )
  }
}
