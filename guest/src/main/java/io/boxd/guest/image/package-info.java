/**
 * Makes the images that machines boot from: kernel, initramfs and disk, built once and cached.
 *
 * <p>Knows recipes and files, not machines: nothing here starts a guest. Recipes are the text files under {@code
 * guest/images}, carried in the jar.
 */
@NullMarked
package io.boxd.guest.image;

import org.jspecify.annotations.NullMarked;
