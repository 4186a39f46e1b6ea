/**
 * The ports at which doors speak HTTP: connections, TLS, HTTP/1.1 and HTTP/2, limits that hold before any door is asked,
 * and which door a request is for. Not what is answered.
 */
@NullMarked
package io.boxd.web;

import org.jspecify.annotations.NullMarked;
