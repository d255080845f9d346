#include "troupe/devices/cpu/image/jpeg_errors.hpp"

#include <algorithm>
#include <cstring>

namespace troupe::cpu {

void raise_jpeg_error(j_common_ptr jpeg, const char* text) {
  auto* errors = static_cast<JpegErrors*>(jpeg->client_data);
  std::snprintf(errors->text_, sizeof errors->text_, "%s", text);
  std::longjmp(errors->back_, 1);
}

void JpegErrors::leave(j_common_ptr jpeg) {
  char text[JMSG_LENGTH_MAX];
  jpeg->err->format_message(jpeg, text);
  raise_jpeg_error(jpeg, text);
}

jpeg_error_mgr* JpegErrors::handlers(j_common_ptr jpeg) {
  auto* standard = jpeg_std_error(&handlers_);
  standard->error_exit = &JpegErrors::leave;
  standard->output_message = [](j_common_ptr) {};  // warnings
  jpeg->client_data = this;
  return standard;
}

}  // namespace troupe::cpu
