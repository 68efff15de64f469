/**
 * A `ref` is an ordinary prop of a component, as in React 19: Preact would keep it to itself. A function and no side effect
 * of its module: the package says that it has none of those, and bundlers leave such a module out.
 */
import { Component, options, type VNode } from 'preact'

/** Before anything is drawn. */
export function passRefs(): void {
  const before = options.vnode
  options.vnode = (vnode: VNode<{ ref?: unknown }>) => {
    const { type } = vnode
    if (typeof type === 'function' && vnode.ref != null && !(type.prototype instanceof Component)) {
      vnode.props.ref = vnode.ref
      vnode.ref = null
    }
    before?.(vnode)
  }
}
